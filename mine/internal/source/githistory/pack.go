package githistory

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zlib"
)

// oid is a SHA-1 object id. Repositories of another format are read by git.
type oid [20]byte

func parseOID(hexed string) (id oid, ok bool) {
	if len(hexed) != 2*len(id) {
		return id, false
	}
	_, err := hex.Decode(id[:], []byte(hexed))
	return id, err == nil
}

// pack is an open pack file with its index, version 2.
//
// Trees are read here and not by git since a history's comparison wants each
// tree once, and in the order in which the pack holds them: that is five times
// as fast as "git log" with a pathspec. What cannot be found or understood is
// left to git.
type pack struct {
	data    []byte // the whole file, mapped
	fanout  []byte
	ids     []byte
	offsets []byte
	large   []byte
}

var errPack = errors.New("unexpected pack format")

// openPacks opens the packs below a git directory's objects.
func openPacks(gitDir string) ([]*pack, error) {
	names, err := filepath.Glob(filepath.Join(globEscape(gitDir), "objects", "pack", "pack-*.idx"))
	if err != nil {
		return nil, err
	}
	var packs []*pack
	for _, name := range names {
		p, err := openPack(name)
		if err != nil {
			closePacks(packs)
			return nil, fmt.Errorf("opening %s: %w", filepath.Base(name), err)
		}
		packs = append(packs, p)
	}
	return packs, nil
}

// globEscape keeps a directory's own brackets and stars from being patterns.
func globEscape(dir string) string {
	var b bytes.Buffer
	for i := range len(dir) {
		if bytes.IndexByte([]byte(`*?[\`), dir[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(dir[i])
	}
	return b.String()
}

func closePacks(packs []*pack) {
	for _, p := range packs {
		unmap(p.data)
	}
}

func openPack(index string) (*pack, error) {
	idx, err := os.ReadFile(index)
	if err != nil {
		return nil, err
	}
	const header, fan, trailer = 8, 256 * 4, 2 * 20
	if len(idx) < header+fan+trailer || !bytes.Equal(idx[:header], []byte("\xfftOc\x00\x00\x00\x02")) {
		return nil, errPack
	}
	p := &pack{fanout: idx[header : header+fan]}
	n := int(binary.BigEndian.Uint32(p.fanout[255*4:]))
	rest := idx[header+fan : len(idx)-trailer]
	if len(rest) < n*(20+4+4) {
		return nil, errPack
	}
	p.ids, p.offsets, p.large = rest[:20*n], rest[24*n:28*n], rest[28*n:]
	if p.data, err = mapFile(index[:len(index)-len("idx")] + "pack"); err != nil {
		return nil, err
	}
	if len(p.data) < 12+20 || string(p.data[:4]) != "PACK" {
		unmap(p.data)
		return nil, errPack
	}
	return p, nil
}

func (p *pack) offset(i int) (int64, bool) {
	at := binary.BigEndian.Uint32(p.offsets[4*i:])
	if at>>31 == 0 {
		return int64(at), true
	}
	i = int(at & 0x7fffffff)
	if 8*i+8 > len(p.large) {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(p.large[8*i:])), true
}

// find returns where an object begins, false when the pack lacks it.
func (p *pack) find(id oid) (int64, bool) {
	low, high := 0, int(binary.BigEndian.Uint32(p.fanout[4*int(id[0]):]))
	if id[0] > 0 {
		low = int(binary.BigEndian.Uint32(p.fanout[4*int(id[0])-4:]))
	}
	for low < high && high <= len(p.ids)/20 {
		mid := (low + high) / 2
		switch bytes.Compare(p.ids[20*mid:20*mid+20], id[:]) {
		case 0:
			return p.offset(mid)
		case -1:
			low = mid + 1
		default:
			high = mid
		}
	}
	return 0, false
}

// The types of packed objects that are looked at.
const (
	packTree     = 2
	packOffDelta = 6
	packRefDelta = 7
)

const (
	// maxTree bounds a tree object; a directory of 200,000 files has 8 MB.
	maxTree = 64 << 20
	// maxChain bounds a chain of deltas; git makes 50 by default, 4095 at most.
	maxChain = 4096
	// maxCached bounds the unpacked trees that one reader keeps.
	maxCached = 24 << 20
)

// packReader unpacks objects of one pack. It is for one goroutine.
type packReader struct {
	*pack
	raw    bytes.Reader
	zip    io.ReadCloser
	delta  []byte
	cache  map[int64][]byte
	cached int
	queue  []int64 // what is cached, oldest first
}

func (p *pack) reader() *packReader { return &packReader{pack: p, cache: map[int64][]byte{}} }

// tree returns the unpacked tree that begins at an offset; ok is false when
// the object is no tree. The bytes are not to be changed.
func (r *packReader) tree(at int64, depth int) (body []byte, ok bool, err error) {
	if body, ok := r.cache[at]; ok {
		return body, true, nil
	}
	if depth > maxChain {
		return nil, false, errPack
	}
	kind, size, data, err := r.header(at)
	if err != nil {
		return nil, false, err
	}
	switch kind {
	case packTree:
		if size > maxTree {
			return nil, false, errPack
		}
		body = make([]byte, size)
		err = r.inflate(data, body)
	case packOffDelta, packRefDelta:
		body, ok, err = r.patched(kind, at, size, data, depth)
		if err != nil || !ok {
			return nil, ok, err
		}
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	r.keep(at, body)
	return body, true, nil
}

// patched unpacks a delta. Its base comes first: both use the same buffer.
func (r *packReader) patched(kind int, at, size int64, data []byte, depth int) ([]byte, bool, error) {
	base, data, err := r.base(kind, at, data)
	if err != nil || size > maxTree {
		return nil, false, cmp.Or(err, errPack)
	}
	from, ok, err := r.tree(base, depth+1)
	if err != nil || !ok {
		return nil, ok, err
	}
	r.delta = slices.Grow(r.delta[:0], int(size))[:size]
	if err := r.inflate(data, r.delta); err != nil {
		return nil, false, err
	}
	body, err := applyDelta(from, r.delta)
	return body, err == nil, err
}

func (r *packReader) keep(at int64, body []byte) {
	r.cache[at] = body
	r.queue = append(r.queue, at)
	for r.cached += len(body); r.cached > maxCached; {
		r.cached -= len(r.cache[r.queue[0]])
		delete(r.cache, r.queue[0])
		r.queue = r.queue[1:]
	}
}

// header reads an object's type and size, and the packed bytes behind them.
func (r *packReader) header(at int64) (kind int, size int64, data []byte, err error) {
	end := int64(len(r.data) - 20)
	if at < 12 || at >= end {
		return 0, 0, nil, errPack
	}
	data = r.data[at:end]
	kind, size = int(data[0]>>4&7), int64(data[0]&15)
	for i, shift := 1, 4; ; i, shift = i+1, shift+7 {
		if data[i-1]&0x80 == 0 {
			return kind, size, data[i:], nil
		}
		if i == len(data) || shift > 54 {
			return 0, 0, nil, errPack
		}
		size |= int64(data[i]&0x7f) << shift
	}
}

// base finds what a delta is against.
func (r *packReader) base(kind int, at int64, data []byte) (int64, []byte, error) {
	if kind == packRefDelta {
		if len(data) < 20 {
			return 0, nil, errPack
		}
		base, ok := r.find(oid(data[:20]))
		if !ok {
			return 0, nil, errPack
		}
		return base, data[20:], nil
	}
	back := int64(0)
	for i, c := range data {
		if i > 8 {
			break
		}
		if i > 0 {
			back = (back + 1) << 7
		}
		back |= int64(c & 0x7f)
		if c&0x80 == 0 {
			return at - back, data[i+1:], nil
		}
	}
	return 0, nil, errPack
}

// inflate fills out with what data unpacks to.
func (r *packReader) inflate(data, out []byte) error {
	r.raw.Reset(data)
	var err error
	if r.zip == nil {
		r.zip, err = zlib.NewReader(&r.raw)
	} else {
		err = r.zip.(zlib.Resetter).Reset(&r.raw, nil)
	}
	if err == nil {
		_, err = io.ReadFull(r.zip, out)
	}
	if err != nil {
		return fmt.Errorf("unpacking an object: %w", err)
	}
	return nil
}

// applyDelta makes an object of its base and a delta, as gitformat-pack(5)
// describes it.
func applyDelta(base, delta []byte) ([]byte, error) {
	from, delta, ok := deltaSize(delta)
	if !ok || from != len(base) {
		return nil, errPack
	}
	size, delta, ok := deltaSize(delta)
	if !ok || size > maxTree {
		return nil, errPack
	}
	out := make([]byte, 0, size)
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op&0x80 == 0 { // insert
			n := int(op)
			if n == 0 || n > len(delta) {
				return nil, errPack
			}
			out, delta = append(out, delta[:n]...), delta[n:]
			continue
		}
		var args [7]int
		for i := range args {
			if op>>i&1 == 1 {
				if len(delta) == 0 {
					return nil, errPack
				}
				args[i], delta = int(delta[0]), delta[1:]
			}
		}
		at := args[0] | args[1]<<8 | args[2]<<16 | args[3]<<24
		n := args[4] | args[5]<<8 | args[6]<<16
		if n == 0 {
			n = 0x10000
		}
		if at > len(base) || n > len(base)-at || len(out)+n > size {
			return nil, errPack
		}
		out = append(out, base[at:at+n]...)
	}
	if len(out) != size {
		return nil, errPack
	}
	return out, nil
}

// deltaSize reads one of the two sizes at a delta's beginning.
func deltaSize(b []byte) (int, []byte, bool) {
	size := 0
	for i := range min(len(b), 9) {
		size |= int(b[i]&0x7f) << (7 * i)
		if b[i]&0x80 == 0 {
			return size, b[i+1:], size >= 0
		}
	}
	return 0, nil, false
}
