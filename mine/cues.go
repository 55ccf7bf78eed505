package main

import (
	"fmt"
	"strings"

	"crossswe/mine/internal/depedge"
	"crossswe/mine/internal/pairing"
	"crossswe/schemas"
)

// cues are the reasons to believe in a plan, for the reviewer's eye.
func cues(w *pairing.World, p pairing.Plan, sides []schemas.Side) []schemas.Cue {
	out := []schemas.Cue{}
	add := func(kind schemas.CueKind, format string, args ...any) {
		c := schemas.Cue{Kind: kind, Detail: fmt.Sprintf(format, args...)}
		for _, have := range out {
			if have == c {
				return
			}
		}
		out = append(out, c)
	}
	for _, s := range p.Pairs {
		provider, consumer := w.Repos[s.Provider.Repo].Name, w.Repos[s.Consumer.Repo].Name
		if len(s.Shared) > 0 {
			add(schemas.CueSharedIdentifier, "%s introduces what %s uses: %s", provider, consumer, words(s.Shared))
		}
		for _, e := range s.Evidence {
			evidenceCue(add, e, provider, consumer)
		}
	}
	for _, s := range p.Sides {
		for _, n := range s.Notes {
			add(schemas.CueProviderConsumer, "%s: %s", w.Repos[s.Repo].Name, n)
		}
	}
	for _, s := range sides {
		if path := protocolFile(s.Files); path != "" {
			add(schemas.CueProtocol, "%s changes %s", s.Repo, path)
		}
	}
	return out
}

func evidenceCue(add func(schemas.CueKind, string, ...any), e pairing.Evidence, provider, consumer schemas.RepoName) {
	switch e.Kind {
	case schemas.LinkDependsOn, schemas.LinkNeededBy, schemas.LinkCompanion:
		add(schemas.CueStatedDependency, "%s says %s: %s", e.From, strings.ReplaceAll(string(e.Kind), "_", " "), e.Text)
	case schemas.LinkVersion:
		add(schemas.CueProviderConsumer, "%s moves %s from %s to %s in %s", consumer, provider, e.OldVersion, e.NewVersion, e.Path)
		if newMajor(e.OldVersion, e.NewVersion) {
			add(schemas.CueAPIEvolution, "a new major version: %s to %s", e.OldVersion, e.NewVersion)
		}
	}
}

func words(shared []pairing.Shared) string {
	const shown = 8
	var w []string
	for _, s := range shared[:min(len(shared), shown)] {
		w = append(w, s.Word)
	}
	return strings.Join(w, ", ")
}

func newMajor(old, new string) bool {
	o, n := release(old), release(new)
	a, _, _ := strings.Cut(o, ".")
	b, _, _ := strings.Cut(n, ".")
	return o != "" && n != "" && a != b
}

func release(version string) string {
	for _, e := range []depedge.Ecosystem{depedge.NPM, depedge.Go} {
		if v := (depedge.Dep{Ecosystem: e, Version: version}).VersionOf(); v.Release != "" {
			return v.Release
		}
	}
	return ""
}

// protocolFile returns a changed file that describes a protocol or schema.
func protocolFile(files []schemas.File) string {
	for _, f := range files {
		for _, ext := range []string{".proto", ".thrift", ".avsc", ".graphql", ".graphqls", ".capnp", ".fbs", ".asn1", ".xsd"} {
			if strings.HasSuffix(f.Path, ext) {
				return f.Path
			}
		}
	}
	return ""
}
