package place

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct {
		at   string
		want Place
	}{
		{"artefacts", Place{Dir: "artefacts"}},
		{"/srv/artefacts/", Place{Dir: "/srv/artefacts"}},
		{"a:b", Place{Dir: "a:b"}},
		{"file:///srv/a%20b", Place{Dir: "/srv/a b"}},
		{"file://localhost/srv", Place{Dir: "/srv"}},
		{"s3://tide", Place{Bucket: "tide"}},
		{"s3://tide/", Place{Bucket: "tide"}},
		{"s3://tide/team-1/v1.2/?region=eu-west-1", Place{Bucket: "tide", Prefix: "team-1/v1.2/", Region: "eu-west-1"}},
		{"s3://tide?endpoint=http://localhost:9000&s3ForcePathStyle=true", Place{Bucket: "tide", Endpoint: "http://localhost:9000", PathStyle: true}},
		{"s3://tide?s3ForcePathStyle=false", Place{Bucket: "tide"}},
	}
	for _, tt := range tests {
		got, err := Parse(tt.at)
		if err != nil {
			t.Errorf("%s: %v", tt.at, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.at, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ name, at, want string }{
		{"nothing", "", "required"},
		{"an unknown scheme", "gs://tide", "gs is not known"},
		{"the web", "https://s3.example.org/tide", "https is not known"},
		{"a slip", "s3:tide", "write s3://bucket"},
		{"no bucket", "s3://", "write s3://bucket"},
		{"a server for a bucket", "s3://localhost:9000/tide", "?endpoint="},
		{"a password", "s3://key:hunter2@tide", "AWS_SECRET_ACCESS_KEY"},
		{"a password and no URL", "s3://key:hunter2%zz@tide", "cannot be read"},
		{"a password of the endpoint", "s3://tide?endpoint=http://key:hunter2@localhost", "without a password"},
		{"a password among the options", "s3://tide?secret=hunter2", `"secret" is not known`},
		{"options that cannot be read", "s3://tide?region=%zz", "cannot be read"},
		{"an option twice", "s3://tide?region=a&region=b", "region wants one value"},
		{"an option without a value", "s3://tide?region=", "region wants one value"},
		{"an endpoint without a scheme", "s3://tide?endpoint=localhost:9000", "the endpoint is to be"},
		{"no truth", "s3://tide?s3ForcePathStyle=perhaps", "true or false"},
		{"a way out", "s3://tide/a/../b", "path after the bucket"},
		{"dots", "s3://tide/a%2e%2e", "path after the bucket"},
		{"a line", "s3://tide/a%0ab", "path after the bucket"},
		{"an empty part", "s3://tide/a//b", "path after the bucket"},
		{"a relative file", "file://artefacts", "three slashes"},
		{"an opaque file", "file:artefacts", "three slashes"},
		{"options of a file", "file:///srv?metadata=skip", "no options"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(tt.at)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the password is in %q", err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a", "file:///a", "s3://tide/a?region=b&endpoint=http://c&s3ForcePathStyle=1", "s3://a:b@c", "s3://tide/%2e%2e/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, at string) {
		p, err := Parse(at)
		if err == nil && (p.Dir == "") == (p.Bucket == "") {
			t.Errorf("%q is neither a directory nor a bucket, or both: %+v", at, p)
		}
		if p.Prefix != "" && (p.Prefix[0] == '/' || !strings.HasSuffix(p.Prefix, "/") || strings.Contains(p.Prefix, "..")) {
			t.Errorf("%q has the prefix %q", at, p.Prefix)
		}
	})
}
