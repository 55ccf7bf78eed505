package detect

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// Rust comes out every six weeks to the day; 1.85 did on this one.
var rustEpoch = time.Date(2025, 2, 20, 0, 0, 0, 0, time.UTC)

const (
	rustEpochMinor = 85
	rustEvery      = 42 * 24 * time.Hour
	// rustOldest is the first minor with an official image of bookworm. It
	// compiles what older ones did.
	rustOldest = 70
)

// newestRust is the newest minor of Rust on a day.
func newestRust(at time.Time) int {
	d := at.Sub(rustEpoch)
	n := int(d / rustEvery)
	if d < 0 && d%rustEvery != 0 {
		n--
	}
	return max(rustEpochMinor+n, rustOldest)
}

var rustNumber = regexp.MustCompile(`^1\.(\d{1,3})(?:\.\d+)?`)

// ChooseRust returns the minor release of Rust, as 1.86, for repositories that
// changed together at a time: the highest that a toolchain file pins, else the
// newest stable one of that day, and never below a rust-version. False when no
// repository has a package of Cargo.
func ChooseRust(repos []Repo, at time.Time) (version, from string, ok bool) {
	pinned, floor := 0, 0
	var who, lowest string
	for _, r := range repos {
		pkgs := CargoPackages(r.Head)
		ok = ok || len(pkgs) > 0
		for _, p := range pkgs {
			v := p.RustVersion
			if v == "" && p.Shared != nil {
				v = p.Shared.RustVersion
			}
			if n := rustMinor(v); n > floor {
				floor, lowest = n, fmt.Sprintf("rust-version of %s", r.Name)
			}
		}
		if n := rustMinor(channel(r.Head)); n > pinned {
			pinned, who = n, fmt.Sprintf("the toolchain file of %s", r.Name)
		}
	}
	if !ok {
		return "", "", false
	}
	minor, from := pinned, who
	if minor == 0 {
		minor, from = newestRust(at), "newest stable release on "+at.UTC().Format(time.DateOnly)
	}
	if minor < floor {
		minor, from = floor, lowest
	}
	if minor < rustOldest {
		minor, from = rustOldest, "the oldest with an image; "+from+" is older"
	}
	return fmt.Sprintf("1.%d", minor), from, true
}

func rustMinor(v string) int {
	m := rustNumber.FindStringSubmatch(strings.TrimSpace(v))
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return n
}

// channel is what a toolchain file of the root names: a release, stable, or a
// nightly.
func channel(t Tree) string {
	for _, name := range []string{"rust-toolchain.toml", "rust-toolchain"} {
		body := string(t.Files[name])
		var f struct {
			Toolchain struct{ Channel string }
		}
		if _, err := toml.Decode(body, &f); err == nil && f.Toolchain.Channel != "" {
			return f.Toolchain.Channel
		}
		if line := strings.TrimSpace(body); line != "" && path.Ext(name) == "" && !strings.ContainsAny(line, "\n[") {
			return line
		}
	}
	return ""
}
