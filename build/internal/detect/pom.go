package detect

import (
	"bytes"
	"encoding/xml"
	"io"
	"path"
	"slices"
	"strings"
)

// MavenName is a group and an artifact.
type MavenName struct{ Group, Artifact string }

// String returns group:artifact.
func (n MavenName) String() string { return n.Group + ":" + n.Artifact }

// MavenNeed is a place where a POM names another artifact.
type MavenNeed struct {
	MavenName
	// Version is what the POM asks for, with the properties of its tree filled
	// in; "" when the tree does not tell.
	Version string
	Type    string // jar, test-jar, pom, …; "" is jar
	// Managed is an entry of dependencyManagement, Parent the parent.
	Managed, Parent bool
}

// MavenProfile is a profile that the JDK switches on.
type MavenProfile struct{ ID, JDK string }

// MavenModule is one pom.xml of a tree.
type MavenModule struct {
	MavenName
	Dir       string // relative to the repository, "" for its root
	Version   string // properties filled in; "" when the tree does not tell
	Packaging string
	Modules   []string // directories, relative to the repository
	Needs     []MavenNeed
	Profiles  []MavenProfile
	// Properties are its own, as written.
	Properties map[string]string
	// up is the directory of the parent's POM when it is of the same tree.
	up    string
	hasUp bool
}

type xmlPOM struct {
	Parent *struct {
		Group    string  `xml:"groupId"`
		Artifact string  `xml:"artifactId"`
		Version  string  `xml:"version"`
		Path     *string `xml:"relativePath"`
	} `xml:"parent"`
	Group      string        `xml:"groupId"`
	Artifact   string        `xml:"artifactId"`
	Version    string        `xml:"version"`
	Packaging  string        `xml:"packaging"`
	Modules    []string      `xml:"modules>module"`
	Properties xmlProperties `xml:"properties"`
	Deps       []xmlNeed     `xml:"dependencies>dependency"`
	Managed    []xmlNeed     `xml:"dependencyManagement>dependencies>dependency"`
	Profiles   []struct {
		ID         string        `xml:"id"`
		JDK        string        `xml:"activation>jdk"`
		Modules    []string      `xml:"modules>module"`
		Properties xmlProperties `xml:"properties"`
		Deps       []xmlNeed     `xml:"dependencies>dependency"`
		Managed    []xmlNeed     `xml:"dependencyManagement>dependencies>dependency"`
	} `xml:"profiles>profile"`
}

type xmlNeed struct {
	Group    string `xml:"groupId"`
	Artifact string `xml:"artifactId"`
	Version  string `xml:"version"`
	Type     string `xml:"type"`
}

// xmlProperties is a table whose element names are the keys.
type xmlProperties map[string]string

// UnmarshalXML implements xml.Unmarshaler.
func (p *xmlProperties) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	if *p == nil {
		*p = xmlProperties{}
	}
	for {
		tok, err := d.Token()
		if err != nil {
			return err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			var value string
			if err := d.DecodeElement(&value, &t); err != nil {
				return err
			}
			(*p)[t.Name.Local] = strings.TrimSpace(value)
		case xml.EndElement:
			return nil
		}
	}
}

// MavenModules returns the POMs of the tree, ordered by directory. Those among
// sources, fixtures and build leavings are none; neither is a file that is no
// POM.
func MavenModules(t Tree) []MavenModule {
	raw := map[string]*xmlPOM{}
	var dirs []string
	for _, p := range t.Paths {
		if !isPOM(p) {
			continue
		}
		if pom, ok := parsePOM(t.Files[p]); ok {
			raw[parent(p)] = pom
			dirs = append(dirs, parent(p))
		}
	}
	slices.Sort(dirs)
	r := &pomReader{raw: raw}
	var all []MavenModule
	for _, dir := range dirs {
		all = append(all, r.module(dir))
	}
	return all
}

// isPOM reports whether a path is the POM of a module of its repository.
func isPOM(p string) bool {
	if path.Base(p) != "pom.xml" || vendored(p) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(parent(p), "/"), func(d string) bool {
		return d == "src" || d == "target" || d == "archetype-resources"
	})
}

func parsePOM(body []byte) (*xmlPOM, bool) {
	dec := xml.NewDecoder(bytes.NewReader(body))
	dec.Strict = false
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var root struct {
		XMLName xml.Name
		xmlPOM
	}
	if dec.Decode(&root) != nil || root.XMLName.Local != "project" || strings.TrimSpace(root.Artifact) == "" {
		return nil, false
	}
	return &root.xmlPOM, true
}

// pomReader fills in what POMs of one tree take from one another.
type pomReader struct{ raw map[string]*xmlPOM }

func (r *pomReader) module(dir string) MavenModule {
	pom := r.raw[dir]
	m := MavenModule{Dir: dir, Packaging: strings.TrimSpace(pom.Packaging), Properties: pom.Properties}
	if m.Packaging == "" {
		m.Packaging = "jar"
	}
	m.up, m.hasUp = r.up(dir)
	m.Group, m.Artifact = r.fill(dir, r.group(dir)), r.fill(dir, pom.Artifact)
	m.Version = r.fill(dir, r.version(dir))
	for _, sub := range pom.Modules {
		m.Modules = append(m.Modules, moduleDir(dir, sub))
	}
	if p := pom.Parent; p != nil {
		m.Needs = append(m.Needs, MavenNeed{MavenName: MavenName{r.fill(dir, p.Group), r.fill(dir, p.Artifact)}, Version: r.fill(dir, p.Version), Type: "pom", Parent: true})
	}
	m.Needs = append(m.Needs, r.needs(dir, pom.Deps, false)...)
	m.Needs = append(m.Needs, r.needs(dir, pom.Managed, true)...)
	for _, p := range pom.Profiles {
		if jdk := strings.TrimSpace(p.JDK); jdk != "" && strings.TrimSpace(p.ID) != "" {
			m.Profiles = append(m.Profiles, MavenProfile{strings.TrimSpace(p.ID), jdk})
		}
		for _, sub := range p.Modules {
			m.Modules = append(m.Modules, moduleDir(dir, sub))
		}
		m.Needs = append(m.Needs, r.needs(dir, p.Deps, false)...)
		m.Needs = append(m.Needs, r.needs(dir, p.Managed, true)...)
	}
	return m
}

// moduleDir is the directory that a module element names: a directory, or the
// POM in one.
func moduleDir(dir, sub string) string {
	sub = strings.TrimSpace(sub)
	if strings.HasSuffix(sub, ".xml") {
		sub = path.Dir(sub)
	}
	return join(dir, sub)
}

func (r *pomReader) needs(dir string, deps []xmlNeed, managed bool) []MavenNeed {
	var all []MavenNeed
	for _, d := range deps {
		n := MavenNeed{MavenName: MavenName{r.fill(dir, d.Group), r.fill(dir, d.Artifact)}, Version: r.fill(dir, d.Version), Type: strings.TrimSpace(d.Type), Managed: managed}
		if n.Group != "" && n.Artifact != "" {
			all = append(all, n)
		}
	}
	return all
}

// up finds the parent's POM within the tree.
func (r *pomReader) up(dir string) (string, bool) {
	p := r.raw[dir].Parent
	if p == nil {
		return "", false
	}
	rel := "../pom.xml"
	if p.Path != nil {
		rel = strings.TrimSpace(*p.Path)
	}
	if rel == "" || path.IsAbs(rel) {
		return "", false
	}
	file := path.Join("/", dir, rel) // a path out of the tree ends at its root
	if path.Ext(file) == ".xml" {
		file = path.Dir(file)
	}
	up := strings.TrimPrefix(file, "/")
	pom, ok := r.raw[up]
	if !ok || up == dir || strings.TrimSpace(pom.Artifact) != strings.TrimSpace(p.Artifact) {
		return "", false
	}
	return up, true
}

func (r *pomReader) group(dir string) string {
	pom := r.raw[dir]
	if pom.Group == "" && pom.Parent != nil {
		return pom.Parent.Group
	}
	return pom.Group
}

func (r *pomReader) version(dir string) string {
	pom := r.raw[dir]
	if pom.Version == "" && pom.Parent != nil {
		return pom.Parent.Version
	}
	return pom.Version
}

// maxFill bounds how deep properties may name one another.
const maxFill = 8

// fill replaces ${…} by what the POM and its parents within the tree say. It
// returns "" when one of them is not known: a parent outside the tree, or a
// profile, may say it.
func (r *pomReader) fill(dir, s string) string {
	s = strings.TrimSpace(s)
	for range maxFill {
		before, rest, ok := strings.Cut(s, "${")
		if !ok {
			return s
		}
		name, after, ok := strings.Cut(rest, "}")
		if !ok {
			return ""
		}
		value, ok := r.property(dir, name)
		if !ok || len(value) > 200 {
			return ""
		}
		s = before + value + after
	}
	return ""
}

func (r *pomReader) property(dir, name string) (string, bool) {
	switch strings.TrimPrefix(name, "project.") {
	case "version", "pom.version":
		return r.version(dir), r.version(dir) != ""
	case "groupId", "pom.groupId":
		return r.group(dir), r.group(dir) != ""
	case "parent.version":
		if p := r.raw[dir].Parent; p != nil {
			return p.Version, true
		}
		return "", false
	}
	for range maxFill {
		if v, ok := r.raw[dir].Properties[name]; ok {
			return v, true
		}
		up, ok := r.up(dir)
		if !ok {
			return "", false
		}
		dir = up
	}
	return "", false
}

// MavenModuleOf returns the module that holds a path: the deepest directory
// above it with a POM.
func MavenModuleOf(mods []MavenModule, dir string) (MavenModule, bool) {
	best, found := MavenModule{}, false
	for _, m := range mods {
		if within(m.Dir, dir) && (!found || len(m.Dir) > len(best.Dir)) {
			best, found = m, true
		}
	}
	return best, found
}

// MavenRoot returns the directory from which a module is built: that of the
// outermost POM that names it, through others, among its modules; else its own.
func MavenRoot(mods []MavenModule, dir string) string {
	for range maxFill {
		i := slices.IndexFunc(mods, func(m MavenModule) bool { return m.Dir != dir && slices.Contains(m.Modules, dir) })
		if i < 0 {
			return dir
		}
		dir = mods[i].Dir
	}
	return dir
}
