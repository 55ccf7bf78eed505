package process

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestDead(t *testing.T) {
	me := Self()
	if me.Machine == "" || me.Start == "" {
		t.Fatalf("got %+v", me)
	}
	tests := []struct {
		name string
		o    ID
		want bool
	}{
		{"this process", me, false},
		{"another with its number", ID{me.Machine, me.PID, me.Start + "0"}, true},
		{"no process", ID{me.Machine, 1 << 30, "1"}, true},
		{"another machine", ID{"elsewhere", 1 << 30, "1"}, false},
		{"unknown machine", ID{"", 1 << 30, ""}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.o.Dead(me); got != tt.want {
				t.Errorf("dead: got %v, want %v", got, tt.want)
			}
			if got, ok := Parse(tt.o.String()); !ok || got != tt.o {
				t.Errorf("read back: got %+v, %v, want %+v", got, ok, tt.o)
			}
		})
	}
	for _, s := range []string{"", "x", "a b c", "a -1 c", "a 1 b c"} {
		if o, ok := Parse(s); ok {
			t.Errorf("%q: got %+v", s, o)
		}
	}
	if strings.ContainsAny(me.Machine+me.Start, " ") {
		t.Errorf("a space in %+v", me)
	}
}

func TestAChildThatEndsIsDead(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	start, err := startOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	child, me := ID{thisMachine(), cmd.Process.Pid, start}, Self()
	if child.Dead(me) {
		t.Error("a process that runs is said to be dead")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); !child.Dead(me) && time.Now().Before(end); {
		time.Sleep(time.Millisecond) // the kernel takes its time
	}
	if !child.Dead(me) {
		t.Error("a corpse that waits for its parent is said to be alive")
	}
	cmd.Wait()
	if !child.Dead(me) {
		t.Error("a process that has ended is said to be alive")
	}
}
