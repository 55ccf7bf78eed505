package assemble

import (
	"archive/tar"
	"context"

	"crossswe/build/internal/link"
	"crossswe/build/internal/recipe"
)

// writeCMake writes what the CMake fetch stage sees beside the checkouts: the
// script that the setup commands call.
func (c *Context) writeCMake(_ context.Context, w *tar.Writer) error {
	return addText(w, below("/deps/cmake", link.CMakeFetch, link.CMake), recipe.CMakeFetchScript)
}
