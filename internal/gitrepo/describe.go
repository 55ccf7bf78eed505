package gitrepo

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"crossswe/schemas"
)

var described = regexp.MustCompile(`^(.*)-(\d+)-g[0-9a-f]+$`)

// Describe returns the nearest tag before a commit that has a digit in it, and
// how many commits lie between. False when no tag does.
func (r *Repo) Describe(ctx context.Context, sha schemas.CommitSHA) (tag string, distance int, ok bool, err error) {
	if err := r.present(ctx, sha); err != nil {
		return "", 0, false, err
	}
	out, err := r.output(r.Command(ctx, "describe", "--tags", "--long", "--abbrev=12", "--match=*[0-9]*", "--end-of-options", string(sha)))
	if err != nil {
		if ctx.Err() != nil {
			return "", 0, false, ctx.Err()
		}
		return "", 0, false, nil // git says so by failing: there is no tag
	}
	m := described.FindStringSubmatch(strings.TrimSpace(string(out)))
	if m == nil {
		return "", 0, false, nil
	}
	distance, err = strconv.Atoi(m[2])
	return m[1], distance, err == nil, err
}
