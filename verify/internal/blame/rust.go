package blame

import (
	"path"
	"regexp"
	"strings"

	"crossswe/schemas"
)

var (
	rustError = regexp.MustCompile(`^error(?:\[E\d+\])?: (.+)$`)
	rustPlace = regexp.MustCompile(`^\s*--> (\S+?):\d+:\d+\s*$`)
	// rustSummary are the lines that only count other errors.
	rustSummary = regexp.MustCompile("^(?:could not compile `|aborting due to |test failed|doctest failed|build failed)")
	// rustResolution are cargo's complaints about versions and places.
	rustResolution = regexp.MustCompile("failed to select a version|no matching package|failed to (?:get|load source|update|parse lock file)|needs to be updated|unable to update|--offline was specified|can't find crate for `|failed to load manifest for dependency")
	// rustOwn are cargo's complaints about what the package does not have yet.
	rustOwn   = regexp.MustCompile("does not contain this feature|no (?:test|bin|example|library) targets? (?:named|found)|can't find `|couldn't read `|file not found for module")
	rustCrate = regexp.MustCompile(`[A-Za-z_]\w*`)
	libName   = regexp.MustCompile(`(?s)\[lib\][^\[]*?\bname\s*=\s*"([\w-]+)"`)
)

// rustFindings reads what cargo and the compiler say.
func rustFindings(text []byte, w World) []finding {
	var all []finding
	names := w.rustNames()
	for _, block := range rustBlocks(string(text)) {
		if f := w.rustBlock(block, names); f != "" {
			all = append(all, finding{f, block[0]})
		}
	}
	return all
}

// rustBlocks splits the text into errors with the lines that belong to each: up
// to the next error or warning.
func rustBlocks(text string) [][]string {
	var all [][]string
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case rustError.MatchString(line):
			all, inside = append(all, []string{line}), true
		case strings.HasPrefix(line, "warning"):
			inside = false
		case inside:
			all[len(all)-1] = append(all[len(all)-1], line)
		}
	}
	return all
}

// rustBlock says what one error is about.
func (w World) rustBlock(lines []string, names map[string]bool) schemas.Failure {
	message := rustError.FindStringSubmatch(lines[0])[1]
	whole := strings.Join(lines, "\n")
	switch {
	case rustSummary.MatchString(message):
		return ""
	case rustOwn.MatchString(message):
		return schemas.FailureCompileOwn
	case rustResolution.MatchString(whole):
		return schemas.FailureResolution
	}
	file := ""
	for _, l := range lines[1:] {
		if m := rustPlace.FindStringSubmatch(l); m != nil {
			file = m[1]
			break
		}
	}
	if file == "" {
		return ""
	}
	if o := w.rustOwner(file); o != schemas.FailureCompileOwn {
		return o
	}
	if w.rustNamesSibling(whole, names) {
		return schemas.FailureCompileSibling
	}
	return schemas.FailureCompileOwn
}

// rustOwner says whose code a file is: a sibling's copy is the sibling's.
func (w World) rustOwner(file string) schemas.Failure {
	for _, s := range w.Siblings {
		if strings.HasPrefix(file, s.linked()) {
			return schemas.FailureCompileSibling
		}
	}
	return w.owner(file)
}

// linked is where cargo sees a sibling's checkout.
func (s Sibling) linked() string { return path.Join(path.Dir(s.Dir), ".link", path.Base(s.Dir)) + "/" }

// rustNamesSibling reports whether an error points into a sibling's code, or
// shows one of its crates by name.
func (w World) rustNamesSibling(text string, names map[string]bool) bool {
	for _, s := range w.Siblings {
		if strings.Contains(text, s.linked()) || strings.Contains(text, s.Dir+"/") {
			return true
		}
	}
	for _, word := range rustCrate.FindAllString(text, -1) {
		if names[word] {
			return true
		}
	}
	return false
}

// rustNames are the names by which code knows the siblings' crates: the
// package's, the library's, and what the consumer's manifests call them.
func (w World) rustNames() map[string]bool {
	names := map[string]bool{}
	for _, s := range w.Siblings {
		for _, n := range s.Names {
			names[strings.ReplaceAll(n, "-", "_")] = true
			renamed := regexp.MustCompile(`(?m)^\s*([\w-]+)\s*=\s*\{[^}\n]*\bpackage\s*=\s*"` + regexp.QuoteMeta(n) + `"`)
			for _, dir := range []string{w.Root, w.Dir} {
				for _, m := range renamed.FindAllSubmatch(w.source(path.Join(dir, "Cargo.toml")), -1) {
					names[strings.ReplaceAll(string(m[1]), "-", "_")] = true
				}
			}
		}
		if len(s.Names) > 0 {
			if m := libName.FindSubmatch(w.source(path.Join(s.Dir, "Cargo.toml"))); m != nil {
				names[strings.ReplaceAll(string(m[1]), "-", "_")] = true
			}
		}
	}
	return names
}
