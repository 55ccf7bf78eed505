package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// errDiskFull says that less is free than build.min_free_gb.
var errDiskFull = errors.New("not enough free disk space")

// engineRoot is where the engine of this machine keeps its images, if it is
// Docker with its default.
const engineRoot = "/var/lib/docker"

// checkSpace reports errDiskFull when less than min gigabytes are free where
// images or build contexts are kept. A place that is not there is no matter.
func checkSpace(min int, dirs ...string) error {
	for _, dir := range dirs {
		free, err := freeBytes(dir)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("asking for the free space at %s: %w", dir, err)
		}
		if gb := free >> 30; gb < uint64(min) {
			return fmt.Errorf("%w: %d GB at %s, build.min_free_gb is %d", errDiskFull, gb, dir, min)
		}
	}
	return nil
}

func freeBytes(dir string) (uint64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return st.Bavail * uint64(st.Bsize), nil
}
