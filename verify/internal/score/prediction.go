// Package score judges predictions: the patches that models propose for
// instances of the dataset. It is pure: it reads prediction files, says what an
// evaluation's log means, and makes the tables.
package score

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"crossswe/internal/patch"
	"crossswe/schemas"
)

// Prediction is what a model proposes for one instance.
type Prediction struct {
	Instance string
	Model    string
	// Patch is one diff over all repositories, for git apply at TestbedDir.
	// Empty: the model proposed nothing.
	Patch []byte
	Usage Usage
}

// Usage is what the prediction cost. A nil figure is unknown.
type Usage struct {
	Steps        *float64
	InputTokens  *float64
	OutputTokens *float64
	CostUSD      *float64
}

// maxFaults bounds how many faults of a file are told at once.
const maxFaults = 20

// Read reads a prediction file: SWE-bench's, as JSON lines or as a JSON list, or
// mini-SWE-agent's preds.json, an object by instance. Several predictions of
// one model for one instance are attempts, in the order of the file. The error
// names every fault, and an instance that rows does not hold is one.
func Read(body []byte, rows map[string]schemas.Instance) ([]Prediction, error) {
	objects, err := objects(body)
	if err != nil {
		return nil, err
	}
	var all []Prediction
	var faults []error
	for _, o := range objects {
		p, err := o.prediction(rows)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", o.where, err))
			continue
		}
		all = append(all, p)
	}
	if n := len(faults); n > maxFaults {
		faults = append(faults[:maxFaults], fmt.Errorf("and %d more faults", n-maxFaults))
	}
	return all, errors.Join(faults...)
}

// object is one prediction as it stands in the file.
type object struct {
	where string // line 3, entry 2, or the instance
	key   string // the instance, where the file says it outside
	body  json.RawMessage
}

// objects takes the file apart.
func objects(body []byte) ([]object, error) {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 {
		return nil, errors.New("the file is empty")
	}
	var list []json.RawMessage
	if trimmed[0] == '[' {
		if err := json.Unmarshal(trimmed, &list); err != nil {
			return nil, fmt.Errorf("reading the list: %w", err)
		}
		var all []object
		for i, o := range list {
			all = append(all, object{where: fmt.Sprintf("entry %d", i+1), body: o})
		}
		return all, nil
	}
	if byInstance, ok := dictionary(trimmed); ok {
		var all []object
		for _, id := range slices.Sorted(maps.Keys(byInstance)) {
			all = append(all, object{where: id, key: id, body: byInstance[id]})
		}
		return all, nil
	}
	return lines(body), nil
}

// dictionary reads an object by instance; false when the file is none.
func dictionary(body []byte) (map[string]json.RawMessage, bool) {
	var all map[string]json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := dec.Decode(&all); err != nil {
		return nil, false
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, false
	}
	for _, v := range all {
		if v = bytes.TrimSpace(v); len(v) == 0 || v[0] != '{' {
			return nil, false // a single prediction, on one line or many
		}
	}
	return all, true
}

func lines(body []byte) []object {
	var all []object
	n := 0
	for line := range bytes.Lines(body) {
		n++
		if line = bytes.TrimSpace(line); len(line) > 0 {
			all = append(all, object{where: fmt.Sprintf("line %d", n), body: line})
		}
	}
	var one json.RawMessage
	if len(all) > 1 && json.Unmarshal(body, &one) == nil { // one prediction, spread over lines
		return []object{{where: "the prediction", body: one}}
	}
	return all
}

// written are the fields that the formats have. Steps, tokens and cost stand
// under several names; the first that is there counts.
type written struct {
	Instance string            `json:"instance_id"`
	Model    string            `json:"model_name_or_path"`
	Patch    *string           `json:"model_patch"`
	Patches  map[string]string `json:"model_patches"` // by repository, or its directory

	Steps        *float64 `json:"steps"`
	APICalls     *float64 `json:"api_calls"`
	InputTokens  *float64 `json:"input_tokens"`
	OutputTokens *float64 `json:"output_tokens"`
	Cost         *float64 `json:"cost"`
	Info         struct {
		Stats struct {
			Cost     *float64 `json:"instance_cost"`
			APICalls *float64 `json:"api_calls"`
		} `json:"model_stats"`
	} `json:"info"`
}

func (o object) prediction(rows map[string]schemas.Instance) (Prediction, error) {
	var w written
	if err := json.Unmarshal(o.body, &w); err != nil {
		return Prediction{}, fmt.Errorf("reading the prediction: %w", err)
	}
	if w.Instance == "" {
		w.Instance = o.key
	}
	switch {
	case w.Instance == "":
		return Prediction{}, errors.New("instance_id is missing")
	case o.key != "" && w.Instance != o.key:
		return Prediction{}, fmt.Errorf("it says that it is about %s", w.Instance)
	case w.Patch != nil && len(w.Patches) > 0:
		return Prediction{}, errors.New("model_patch and model_patches are both given")
	}
	row, ok := rows[w.Instance]
	if !ok {
		return Prediction{}, fmt.Errorf("there is no instance %s", w.Instance)
	}
	p := Prediction{Instance: w.Instance, Model: w.Model, Usage: Usage{
		Steps: first(w.Steps, w.APICalls, w.Info.Stats.APICalls), InputTokens: w.InputTokens, OutputTokens: w.OutputTokens,
		CostUSD: first(w.Cost, w.Info.Stats.Cost),
	}}
	if w.Patch != nil {
		p.Patch = whole([]byte(*w.Patch))
		return p, nil
	}
	var err error
	p.Patch, err = combined(w.Patches, row)
	return p, err
}

func first(figures ...*float64) *float64 {
	for _, f := range figures {
		if f != nil {
			return f
		}
	}
	return nil
}

// whole gives a patch its last line break, which models leave out and without
// which git calls it corrupt. A patch of blanks is empty.
func whole(p []byte) []byte {
	if len(bytes.TrimSpace(p)) == 0 {
		return nil
	}
	if !bytes.HasSuffix(p, []byte("\n")) {
		return append(p, '\n')
	}
	return p
}

// combined makes one diff of one per repository.
func combined(patches map[string]string, row schemas.Instance) ([]byte, error) {
	var all []byte
	for _, name := range slices.Sorted(maps.Keys(patches)) {
		body := whole([]byte(patches[name]))
		if body == nil {
			continue
		}
		i := slices.IndexFunc(row.Repos, func(r schemas.InstanceRepo) bool {
			return strings.EqualFold(r.Repo, name) || r.Dir == name
		})
		if i < 0 {
			return nil, fmt.Errorf("%s is no repository of %s", name, row.InstanceID)
		}
		prefixed, err := patch.Prefix(body, row.Repos[i].Dir)
		if err != nil {
			return nil, fmt.Errorf("the patch of %s: %w", name, err)
		}
		all = append(all, prefixed...)
	}
	return all, nil
}
