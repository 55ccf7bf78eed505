package cargo

// Plan is what cargolink does in every mask: a file of the spec, in JSON.
type Plan struct {
	// Crates are the packages that others of the set use.
	Crates []Crate `json:"crates"`
	// Repos are all repositories with a workspace of Cargo.
	Repos []Repo `json:"repos"`
}

// Crate is a package that is used from its repository's checkout.
type Crate struct {
	Name string `json:"name"`
	// Dir is the repository's directory below the testbed, Package that of the
	// package in it, "" for its root.
	Dir     string `json:"dir"`
	Package string `json:"package"`
	// Root is the directory of its workspace in the repository.
	Root string `json:"root"`
	// Lines are the version lines that no registry may serve.
	Lines []string `json:"lines"`
}

// Repo is a repository and the workspaces in it: the directories of their
// roots, "" for its own root.
type Repo struct {
	Dir   string   `json:"dir"`
	Roots []string `json:"roots"`
}

// Find returns the repository of a directory; false when the plan has none.
func (p Plan) Find(dir string) (Repo, bool) {
	for _, r := range p.Repos {
		if r.Dir == dir {
			return r, true
		}
	}
	return Repo{}, false
}

// Crate returns the crate of that name; false when the plan has none.
func (p Plan) Crate(name string) (Crate, bool) {
	for _, c := range p.Crates {
		if c.Name == name {
			return c, true
		}
	}
	return Crate{}, false
}
