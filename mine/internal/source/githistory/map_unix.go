//go:build unix

package githistory

import (
	"os"
	"syscall"
)

// mapFile maps a file for reading. A pack never changes once it is there, and
// one that is removed meanwhile stays mapped.
func mapFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil, err
	}
	return syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
}

func unmap(b []byte) {
	if len(b) > 0 {
		_ = syscall.Munmap(b) // it can only fail for an address that is none
	}
}
