package assemble

import (
	"archive/tar"
	"context"

	"crossswe/build/internal/link"
	"crossswe/build/internal/recipe"
)

// writePython writes what the Python fetch stage sees beside the checkouts: the
// script that the setup commands call.
func (c *Context) writePython(_ context.Context, w *tar.Writer) error {
	return addText(w, below(link.PythonRoot, link.PythonInstall, link.Python), recipe.PythonInstallScript)
}
