package testlog

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
)

// maxObjects bounds the search for a report among what tests print.
const maxObjects = 64

// objects yields what stands in the report from each '{' on that begins an
// object whose first key is among first, with a value that begins with one of
// the key's bytes. Tests print around the report, and may print JSON too.
func objects(report []byte, first map[string]string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		left := maxObjects
		for i := bytes.IndexByte(report, '{'); i >= 0 && left > 0; i = bytes.IndexByte(report, '{') {
			report = report[i:]
			if begins(report[1:], first) {
				left--
				if !yield(report) {
					return
				}
			}
			report = report[1:]
		}
	}
}

// begins reports whether b goes on with one of the keys and a value of its kind.
func begins(b []byte, first map[string]string) bool {
	b = bytes.TrimLeft(b[:min(len(b), 256)], " \t\r\n")
	for key, kinds := range first {
		if rest, ok := bytes.CutPrefix(b, []byte(`"`+key+`"`)); ok {
			rest = bytes.TrimLeft(rest, " \t\r\n:")
			return len(rest) > 0 && strings.IndexByte(kinds, rest[0]) >= 0
		}
	}
	return false
}

// errStop ends a walk early.
var errStop = stop{}

type stop struct{}

func (stop) Error() string { return "stop" }

// eachField calls field for every key of the object that b begins with; field
// must decode the value, or return errStop. It reports whether the object ended.
func eachField(b []byte, field func(key string, dec *json.Decoder) error) bool {
	dec := json.NewDecoder(bytes.NewReader(b))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return false
		}
		name, ok := key.(string)
		if !ok || field(name, dec) != nil {
			return false
		}
	}
	t, err := dec.Token()
	return err == nil && t == json.Delim('}')
}

// eachElement decodes the elements of the array that comes next, one by one,
// so that those before a break are not lost. A null is an empty array.
func eachElement[T any](dec *json.Decoder, element func(T)) error {
	t, err := dec.Token()
	if err != nil || t == nil {
		return err
	}
	if t != json.Delim('[') {
		return errStop
	}
	for dec.More() {
		var v T
		if err := dec.Decode(&v); err != nil {
			return err
		}
		element(v)
	}
	_, err = dec.Token()
	return err
}

// skipValue passes over the value that comes next.
func skipValue(dec *json.Decoder) error {
	var v json.RawMessage
	return dec.Decode(&v)
}
