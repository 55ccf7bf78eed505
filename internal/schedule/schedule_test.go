package schedule

import (
	"testing"
	"time"
)

func TestDue(t *testing.T) {
	at := func(text string) time.Time {
		if text == "" {
			return time.Time{}
		}
		v, err := time.Parse("2006-01-02 15:04 MST", text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	const mondays = "0 3 * * 1"
	tests := []struct {
		name, spec, last, now, want string
	}{
		{"never", "", "2026-03-02 03:00 UTC", "2026-04-01 00:00 UTC", ""},
		{"not yet", mondays, "2026-03-02 03:00 UTC", "2026-03-09 02:59 UTC", ""},
		{"to the minute", mondays, "2026-03-02 03:00 UTC", "2026-03-09 03:00 UTC", "2026-03-09 03:00 UTC"},
		{"missed twice, due once", mondays, "2026-03-02 03:00 UTC", "2026-03-17 12:00 UTC", "2026-03-16 03:00 UTC"},
		{"a machine whose clock is an hour behind", mondays, "2026-03-09 03:00 UTC", "2026-03-09 02:30 UTC", ""},
		{"new pipeline", mondays, "", "2026-03-09 03:00 UTC", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, due, err := Due(tt.spec, at(tt.last), at(tt.now))
			if err != nil || !got.Equal(at(tt.want)) || due != (tt.want != "") {
				t.Errorf("got %v, %v, %v; want %q", got, due, err, tt.want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	for spec, want := range map[string]bool{"": true, "0 3 * * 1": true, "@daily": true, "60 3 * * 1": false, "3 o'clock": false, "CRON_TZ=Nowhere 0 3 * * 1": false} {
		if err := Check(spec); (err == nil) != want {
			t.Errorf("%q: got %v", spec, err)
		}
	}
}
