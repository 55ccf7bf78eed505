package blame

import (
	"regexp"
	"slices"
	"strings"

	"crossswe/schemas"
)

var (
	// javaAt begins a complaint of the compiler: Maven's form, javac's own, kotlinc's.
	javaAt         = regexp.MustCompile(`^(?:\[ERROR\] |e: (?:file://)?)?(/\S+?\.(?:java|kt|groovy)):(?:\[\d+(?:,\d+)?\]|\d+:(?:\d+:?)?)\s*(.*)$`)
	javaResolution = regexp.MustCompile(`Could not resolve dependencies|Could not find artifact|Non-resolvable (?:parent|import) POM|Could not transfer artifact|Cannot access \S+ .*in offline mode|Failed to read artifact descriptor|PluginResolutionException|No versions available for|Could not find the selected project in the reactor`)
	javaLink       = regexp.MustCompile(`(?:NoSuchMethodError|NoSuchFieldError|NoClassDefFoundError|ClassNotFoundException|AbstractMethodError|IncompatibleClassChangeError|IllegalAccessError)\b:? *(.*)$`)
	javaQualified  = regexp.MustCompile(`\b[a-z_][\w]*(?:[./][A-Za-z_]\w*)+`)
	javaSimple     = regexp.MustCompile(`\b[A-Z]\w*\b`)
	javaSources    = regexp.MustCompile(`/src/[^/]+/(?:java|kotlin|groovy|scala)/(.+)$`)
	javaImports    = regexp.MustCompile(`(?m)^\s*import\s+(?:static\s+)?([\w.]+?)(\.\*)?\s*;?\s*$`)
)

// javaFindings reads what the compilers, Maven and the JVM's loader say.
func javaFindings(text []byte, w World) []finding {
	j := &javaReader{world: w}
	for line := range strings.Lines(string(text)) {
		j.line(strings.TrimRight(line, "\r\n"))
	}
	j.flush()
	return j.all
}

// javaReader goes over the lines. A complaint of the compiler goes on in the
// lines below, which tell the symbol and the place where it was looked for.
type javaReader struct {
	world World
	all   []finding
	file  string   // of the open complaint, "" when none is
	block []string // its lines
}

func (j *javaReader) line(s string) {
	if m := javaAt.FindStringSubmatch(s); m != nil {
		j.flush()
		j.file, j.block = m[1], []string{m[2]}
		return
	}
	rest := strings.TrimPrefix(s, "[ERROR]")
	if j.file != "" && strings.HasPrefix(rest, "  ") && len(j.block) < 10 {
		j.block = append(j.block, strings.TrimSpace(rest))
		return
	}
	j.flush()
	switch {
	case javaResolution.MatchString(s):
		j.add(schemas.FailureResolution, s)
	case javaLink.MatchString(s):
		j.linkage(s)
	}
}

func (j *javaReader) add(f schemas.Failure, line string) {
	j.all = append(j.all, finding{f, strings.TrimSpace(line)})
}

// flush places the open complaint.
func (j *javaReader) flush() {
	if j.file == "" {
		return
	}
	f := j.world.owner(j.file)
	text := strings.Join(j.block, " ")
	if f == schemas.FailureCompileOwn && j.world.javaNames(j.file, text) {
		f = schemas.FailureCompileSibling
	}
	j.add(f, j.file+": "+text)
	j.file, j.block = "", nil
}

// linkage is an error of the JVM's loader: classes were compiled against
// something else than what is there.
func (j *javaReader) linkage(s string) {
	for _, name := range javaQualified.FindAllString(javaLink.FindStringSubmatch(s)[1], -1) {
		switch pkg := javaPackage(name); {
		case j.world.javaSibling(pkg):
			j.add(schemas.FailureCompileSibling, s)
			return
		case slices.Contains(j.world.Packages, pkg):
			j.add(schemas.FailureCompileOwn, s)
			return
		}
	}
}

// javaPackage is the part of a qualified name before the first class.
func javaPackage(name string) string {
	parts := strings.Split(strings.ReplaceAll(name, "/", "."), ".")
	for i, p := range parts {
		if p != "" && p[0] >= 'A' && p[0] <= 'Z' {
			return strings.Join(parts[:i], ".")
		}
	}
	return strings.Join(parts, ".")
}

// javaSibling reports whether a package is a sibling's and not the
// repository's own too.
func (w World) javaSibling(pkg string) bool {
	return pkg != "" && !slices.Contains(w.Packages, pkg) &&
		slices.ContainsFunc(w.Siblings, func(s Sibling) bool { return slices.Contains(s.Packages, pkg) })
}

// javaNames reports whether a complaint in a file names a package of a sibling,
// or a class that the file imports from one. What the repository's own patched
// types lack comes from a sibling's type within them, if the file uses one.
func (w World) javaNames(file, complaint string) bool {
	for _, name := range javaQualified.FindAllString(complaint, -1) {
		pkg := javaPackage(name)
		above := pkg[:max(0, strings.LastIndexByte(pkg, '.'))] // of a function, or of a package that is new
		if w.javaSibling(pkg) || w.javaSibling(above) {
			return true
		}
	}
	simple := javaSimple.FindAllString(complaint, -1)
	uses := false
	for _, m := range javaImports.FindAllSubmatch(w.source(file), -1) {
		name := string(m[1])
		pkg := javaPackage(name)
		if !w.javaSibling(pkg) {
			continue
		}
		uses = true
		class, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(name, pkg), "."), ".")
		if class != "" && slices.Contains(simple, class) {
			return true
		}
	}
	return uses && w.Patched && strings.Contains(complaint, "cannot find symbol")
}

// JavaPackages are the packages of the sources that a list of directories of
// files holds.
func JavaPackages(dirs []string) []string {
	var all []string
	for _, d := range dirs {
		if m := javaSources.FindStringSubmatch(d); m != nil {
			all = append(all, strings.ReplaceAll(m[1], "/", "."))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
