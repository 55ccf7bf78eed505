//go:build !unix

package githistory

import "os"

// mapFile reads a file whole where it cannot be mapped.
func mapFile(name string) ([]byte, error) { return os.ReadFile(name) }

func unmap([]byte) {}
