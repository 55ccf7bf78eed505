package link

import (
	"maps"
	"slices"

	"crossswe/build/internal/detect"
)

// tree makes a snapshot that holds the content of every file.
func tree(files map[string]string) detect.Tree {
	t := detect.Tree{Paths: slices.Sorted(maps.Keys(files)), Files: map[string][]byte{}}
	for p, body := range files {
		t.Files[p] = []byte(body)
	}
	return t
}
