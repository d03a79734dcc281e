package manilla

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sort"
	"strings"
	"sync"
)

// Models are not left to encoding/json, which would drop fields that this version of the SDK does not
// know, and empty lists in optional fields, such as one that a PATCH clears.

type modelField struct {
	index      int
	name       string
	isOptional bool
}

// Extra is what a model knows besides its fields.
type Extra struct {
	// Unknown has the fields that this version of the SDK does not know, by their names. They are sent
	// and written back, too.
	Unknown map[string]json.RawMessage
	// A field that was not sent must not be written back as 0 or an empty text.
	missing map[string]bool
}

var knownModels sync.Map

func fieldsOf(model reflect.Type) []modelField {
	if known, ok := knownModels.Load(model); ok {
		return known.([]modelField)
	}
	var fields []modelField
	for index := 0; index < model.NumField(); index++ {
		name, options, _ := strings.Cut(model.Field(index).Tag.Get("json"), ",")
		if name != "-" {
			fields = append(fields, modelField{index, name, options == "omitempty"})
		}
	}
	knownModels.Store(model, fields)
	return fields
}

func marshalModel(model any) ([]byte, error) {
	value := reflect.ValueOf(model)
	extra := value.FieldByName("Extra").Interface().(Extra)
	var text bytes.Buffer
	add := func(name string, value any) error {
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		field, err := json.Marshal(value)
		text.WriteByte(',')
		text.Write(key)
		text.WriteByte(':')
		text.Write(field)
		return err
	}
	for _, field := range fieldsOf(value.Type()) {
		content := value.Field(field.index)
		if field.isOptional && isLeftOut(content) || extra.missing[field.name] && content.IsZero() {
			continue
		}
		if err := add(field.name, content.Interface()); err != nil {
			return nil, err
		}
	}
	names := make([]string, 0, len(extra.Unknown))
	for name := range extra.Unknown {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if err := add(name, extra.Unknown[name]); err != nil {
			return nil, err
		}
	}
	return append([]byte{'{'}, append(bytes.TrimPrefix(text.Bytes(), []byte{','}), '}')...), nil
}

func isLeftOut(field reflect.Value) bool { return canBeNull(field) && field.IsZero() }

func canBeNull(field reflect.Value) bool {
	switch field.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	}
	_, ok := field.Interface().(interface{ IsNull() bool })
	return ok
}

func unmarshalModel(data []byte, model any) error {
	contents := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &contents); err != nil {
		return err
	}
	value := reflect.ValueOf(model).Elem()
	extra := Extra{}
	for _, field := range fieldsOf(value.Type()) {
		content, ok := contents[field.name]
		target := value.Field(field.index)
		if !ok || string(content) == "null" && !canBeNull(target) {
			if extra.missing == nil {
				extra.missing = map[string]bool{}
			}
			extra.missing[field.name] = true
			delete(contents, field.name)
			continue
		}
		if target.Kind() == reflect.Interface {
			target.Set(reflect.ValueOf(content))
		} else if err := json.Unmarshal(content, target.Addr().Interface()); err != nil {
			return err
		}
		delete(contents, field.name)
	}
	if len(contents) > 0 {
		extra.Unknown = contents
	}
	value.FieldByName("Extra").Set(reflect.ValueOf(extra))
	return nil
}
