// Package schemas holds the records that the stages of the pipeline hand to
// one another. It uses the standard library only, so that any tool can import
// it. Every record is JSON in the store and on standard output; the
// *.schema.json files beside the code are generated from these types
// (go test ./schemas -update) and a test fails when they drift.
//
// IDs are derived from content: the same input gives the same ID on every
// machine. Times are UTC with whole seconds.
package schemas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
)

// Kind tells the records of the pipeline apart.
type Kind string

// The kinds of record, in the order in which the pipeline makes them.
const (
	KindCandidate   Kind = "candidate"
	KindReview      Kind = "review"
	KindDecision    Kind = "decision"
	KindEnvironment Kind = "environment"
	KindVerdict     Kind = "verdict"
	KindStatement   Kind = "statement"
	KindInstance    Kind = "instance"
	KindEvaluation  Kind = "evaluation"
)

// Record is implemented by every record type.
type Record interface {
	// RecordKind returns the kind, which is also the value of the "record"
	// field in JSON lines.
	RecordKind() Kind
	// RecordKey returns the identity within the kind.
	RecordKey() string
	// Validate reports the first thing wrong with the record.
	Validate() error
}

// Decode reads one record from JSON, refusing unknown fields, trailing data
// and records that do not validate.
func Decode[T Record](body []byte) (T, error) {
	var rec T
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&rec); err != nil {
		return rec, fmt.Errorf("reading a %s record: %w", rec.RecordKind(), err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return rec, fmt.Errorf("reading a %s record: data after its end", rec.RecordKind())
	}
	if err := rec.Validate(); err != nil {
		return rec, fmt.Errorf("reading %s %s: %w", rec.RecordKind(), rec.RecordKey(), err)
	}
	return rec, nil
}

// Encode writes a record as JSON on one line: the inverse of Decode. Empty
// lists are written as [], never as null.
func Encode(r Record) ([]byte, error) {
	body, err := json.Marshal(FillLists(r))
	if err != nil {
		return nil, fmt.Errorf("writing %s %s: %w", r.RecordKind(), r.RecordKey(), err)
	}
	return body, nil
}

// FillLists returns a copy of the record in which every nil list is an empty
// one. The record itself stays as it is.
func FillLists[T Record](r T) T {
	v := reflect.New(reflect.TypeOf(r)).Elem()
	v.Set(reflect.ValueOf(r))
	fillLists(v)
	return v.Interface().(T)
}

// fillLists copies every slice on its way.
func fillLists(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(list, v)
		v.Set(list)
		for i := range v.Len() {
			fillLists(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fillLists(v.Field(i))
			}
		}
	}
}

// Line is one line of a program's -json output: {"record": kind, "body": record}.
type Line struct {
	Record Kind   `json:"record"`
	Body   Record `json:"body"`
}

// MarshalJSON writes the body as Encode does.
func (l Line) MarshalJSON() ([]byte, error) {
	body, err := Encode(l.Body)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Record Kind            `json:"record"`
		Body   json.RawMessage `json:"body"`
	}{l.Record, body})
}
