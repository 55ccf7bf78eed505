package shard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// hub returns the value of the "huggingface" key: the features as the
// datasets library writes them, so that it and the Hub's viewer need not guess.
// A list is written as a JSON list of one feature, the form that all its
// versions read.
func hub(row reflect.Type) (string, error) {
	features, err := structFeatures(row)
	if err != nil {
		return "", err
	}
	return `{"info":{"features":` + features + `}}`, nil
}

// structFeatures keeps the order of the columns, which a map would lose.
func structFeatures(t reflect.Type) (string, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("parquet"), ",")
		key, err := json.Marshal(name)
		if err != nil {
			return "", err
		}
		value, err := feature(t.Field(i).Type)
		if err != nil {
			return "", fmt.Errorf("column %s: %w", name, err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", key, value)
	}
	b.WriteByte('}')
	return b.String(), nil
}

func feature(t reflect.Type) (string, error) {
	value := func(dtype string) (string, error) { return `{"dtype":"` + dtype + `","_type":"Value"}`, nil }
	if t == reflect.TypeFor[time.Time]() {
		return value("timestamp[ms, tz=UTC]")
	}
	switch t.Kind() {
	case reflect.String:
		return value("string")
	case reflect.Bool:
		return value("bool")
	case reflect.Int32:
		return value("int32")
	case reflect.Int64:
		return value("int64")
	case reflect.Struct:
		return structFeatures(t)
	case reflect.Slice:
		of, err := feature(t.Elem())
		return "[" + of + "]", err
	}
	return "", fmt.Errorf("no feature for %s", t)
}
