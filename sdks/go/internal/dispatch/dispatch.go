// Package dispatch calls methods of the client by the names of the API, for the conformance driver and
// the tests.
package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	manilla "github.com/manilla-dev/manilla-go"
)

// Request names an operation and has its arguments as JSON.
type Request struct {
	// Resource is as in TypeScript: checkout.sessions.
	Resource  string            `json:"resource"`
	Operation string            `json:"operation"`
	Path      map[string]string `json:"path"`
	Query     json.RawMessage   `json:"query"`
	Body      json.RawMessage   `json:"body"`
	CSV       *string           `json:"csv"`
}

var contextType = reflect.TypeOf((*context.Context)(nil)).Elem()

// Call calls the method and returns what it returns but the error: a model, a slice, an iterator, the
// text of a CSV file, the bytes of another, or nil.
func Call(ctx context.Context, client *manilla.Client, request Request, options []manilla.Option) (any, error) {
	method, err := find(client, request)
	if err != nil {
		return nil, err
	}
	arguments, err := toArguments(ctx, method.Type(), request)
	if err != nil {
		return nil, err
	}
	for _, option := range options {
		arguments = append(arguments, reflect.ValueOf(option))
	}
	results := method.Call(arguments)
	last := results[len(results)-1].Interface()
	if failure, ok := last.(error); ok {
		return nil, failure
	}
	if last == nil && len(results) == 1 {
		return nil, nil
	}
	value := results[0].Interface()
	if file, ok := value.(io.ReadCloser); ok {
		defer file.Close()
		text, err := io.ReadAll(file)
		return string(text), err
	}
	return value, nil
}

func find(client *manilla.Client, request Request) (reflect.Value, error) {
	resource := reflect.ValueOf(client)
	for _, name := range strings.Split(request.Resource, ".") {
		field, ok := resource.Elem().Type().FieldByNameFunc(sameName(name))
		if !ok {
			return resource, fmt.Errorf("no resource %s", request.Resource)
		}
		resource = resource.Elem().FieldByIndex(field.Index)
	}
	operation := request.Operation
	if request.CSV != nil {
		operation += "CSV"
	}
	for index := 0; index < resource.NumMethod(); index++ {
		if sameName(operation)(resource.Type().Method(index).Name) {
			return resource.Method(index), nil
		}
	}
	return resource, fmt.Errorf("no operation %s.%s", request.Resource, operation)
}

func sameName(name string) func(string) bool {
	return func(other string) bool { return strings.EqualFold(name, other) }
}

func toArguments(ctx context.Context, method reflect.Type, request Request) ([]reflect.Value, error) {
	var arguments []reflect.Value
	texts := []string{}
	for _, argument := range request.Path {
		texts = append(texts, argument)
	}
	if request.CSV != nil {
		texts = append(texts, *request.CSV)
	}
	// The last are the options.
	for index := 0; index < method.NumIn()-1; index++ {
		argument := method.In(index)
		switch {
		case argument == contextType:
			arguments = append(arguments, reflect.ValueOf(ctx))
		case argument.Kind() == reflect.String && len(texts) > 0:
			arguments = append(arguments, reflect.ValueOf(texts[0]))
			texts = texts[1:]
		case argument.Kind() == reflect.Pointer:
			input, err := toInput(argument, request)
			if err != nil {
				return nil, err
			}
			arguments = append(arguments, input)
		default:
			return nil, fmt.Errorf("%s.%s needs more arguments", request.Resource, request.Operation)
		}
	}
	return arguments, nil
}

func toInput(pointer reflect.Type, request Request) (reflect.Value, error) {
	text := request.Body
	if text == nil {
		text = request.Query
	}
	if text == nil {
		return reflect.Zero(pointer), nil
	}
	input := reflect.New(pointer.Elem())
	return input, json.Unmarshal(text, input.Interface())
}
