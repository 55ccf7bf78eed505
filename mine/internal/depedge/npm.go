package depedge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// npmSections are the sections of a package.json that name dependencies.
var npmSections = map[string]Use{
	"dependencies": UseRuntime, "devDependencies": UseDev,
	"peerDependencies": UsePeer, "optionalDependencies": UseOptional,
}

// parsePackageJSON reads a package.json token by token, so that it knows where
// each dependency stands. A key of the wrong type is passed over.
func parsePackageJSON(content []byte) (Manifest, error) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	p := npmParser{dec: json.NewDecoder(bytes.NewReader(content)), lines: lineIndex{string(content)}}
	if tok, err := p.dec.Token(); err != nil || tok != json.Delim('{') {
		return Manifest{}, errors.Join(errors.New("a package.json is an object"), err)
	}
	for p.dec.More() {
		if err := p.key(); err != nil {
			return Manifest{}, fmt.Errorf("reading a package.json: %w", err)
		}
	}
	if _, err := p.dec.Token(); err != nil { // the closing brace
		return Manifest{}, fmt.Errorf("reading a package.json: %w", err)
	}
	return p.out, nil
}

type npmParser struct {
	dec   *json.Decoder
	lines lineIndex
	out   Manifest
}

func (p *npmParser) key() error {
	tok, err := p.dec.Token()
	if err != nil {
		return err
	}
	name, _ := tok.(string)
	if use, ok := npmSections[name]; ok {
		return p.section(use)
	}
	var value json.RawMessage
	if err := p.dec.Decode(&value); err != nil {
		return err
	}
	switch name {
	case "name":
		_ = json.Unmarshal(value, &p.out.Package.Name)
	case "version":
		_ = json.Unmarshal(value, &p.out.Package.Version)
	case "private":
		p.out.Package.Private = string(value) == "true"
	}
	return nil
}

// section reads one object of name: range.
func (p *npmParser) section(use Use) error {
	var value json.RawMessage
	if err := p.dec.Decode(&value); err != nil {
		return err
	}
	start := int(p.dec.InputOffset()) - len(value)
	dec := json.NewDecoder(bytes.NewReader(value))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		at := start + int(dec.InputOffset())
		var version any
		if err := dec.Decode(&version); err != nil {
			return err
		}
		name, written := key.(string), ""
		if s, ok := version.(string); ok {
			written = s
		}
		p.add(name, written, use, p.lines.at(at))
	}
	return nil
}

func (p *npmParser) add(name, written string, use Use, line string) {
	if name == "" || written == "" || isLocal(written) {
		return
	}
	d := Dep{Name: name, Version: written, Use: use, Line: line}
	if alias, ok := strings.CutPrefix(written, "npm:"); ok { // "npm:@scope/name@^1.0.0"
		if at := strings.LastIndexByte(alias, '@'); at > 0 {
			d.Name, d.Version = alias[:at], alias[at+1:]
		} else {
			d.Name, d.Version = alias, "*"
		}
	}
	if repo, commitish, ok := gitSource(written); ok {
		d.Repo, d.Version = repo, "#"+commitish
	}
	if d.Name != "" {
		p.out.Deps = append(p.out.Deps, d)
	}
}

// isLocal says that a dependency is a directory of the same checkout.
func isLocal(written string) bool {
	for _, prefix := range []string{"workspace:", "file:", "link:", "portal:", "catalog:", "./", "../"} {
		if strings.HasPrefix(written, prefix) {
			return true
		}
	}
	return false
}

var (
	gitURL       = regexp.MustCompile(`^(?:git\+)?(?:https?|ssh|git)://(?:[^@/\s]+@)?github\.com[/:]([\w.-]+)/([\w.-]+?)(?:\.git)?(?:#(.*))?$`)
	gitShorthand = regexp.MustCompile(`^(?:github:)?([\w-]+)/([\w.-]+?)(?:\.git)?(?:#(.*))?$`)
	gitSCP       = regexp.MustCompile(`^git@github\.com:([\w.-]+)/([\w.-]+?)(?:\.git)?(?:#(.*))?$`)
	tarball      = regexp.MustCompile(`^https?://(?:codeload\.)?github\.com/([\w.-]+)/([\w.-]+)/(?:tarball|archive|tar\.gz)/(.+?)(?:\.tar\.gz|\.tgz|\.zip)?$`)
)

// gitSource reads a dependency that names a GitHub repository.
func gitSource(written string) (repo, commitish string, ok bool) {
	for _, re := range []*regexp.Regexp{gitURL, tarball, gitSCP, gitShorthand} {
		if m := re.FindStringSubmatch(written); m != nil {
			return m[1] + "/" + m[2], strings.TrimPrefix(m[3], "semver:"), true
		}
	}
	return "", "", false
}

// npmTags returns the tags that name a release of the package, the most
// telling first.
func npmTags(p Package, version string) []string {
	short := p.Name[strings.LastIndexByte(p.Name, '/')+1:]
	names := []string{p.Name, short}
	if p.Dir != "" && path.Base(p.Dir) != short {
		names = append(names, path.Base(p.Dir))
	}
	var tags []string
	for _, n := range names {
		tags = append(tags, n+"@"+version, n+"@v"+version, n+"-v"+version, n+"-"+version, n+"/v"+version, n+"/"+version)
	}
	if p.Dir == "" {
		tags = append(tags, "v"+version, version)
	}
	return tags
}
