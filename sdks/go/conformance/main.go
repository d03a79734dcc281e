// The conformance driver: test/sdks/conformance/README.md says what it reads and writes.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	manilla "github.com/manilla-dev/manilla-go"
	"github.com/manilla-dev/manilla-go/internal/dispatch"
	"github.com/manilla-dev/manilla-go/internal/retrywait"
	"github.com/manilla-dev/manilla-go/manillatest"
)

type request struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	dispatch.Request
	Key        string `json:"key"`
	BaseURL    string `json:"baseUrl"`
	LimitItems *int   `json:"limitItems"`
	Options    struct {
		TimeoutMs      *int64   `json:"timeoutMs"`
		MaxRetries     *int     `json:"maxRetries"`
		IdempotencyKey *string  `json:"idempotencyKey"`
		FirstWaitMs    *float64 `json:"firstWaitMs"`
	} `json:"options"`
	BodyBase64  []byte            `json:"bodyBase64"`
	Headers     map[string]string `json:"headers"`
	Secret      string            `json:"secret"`
	NowMs       *int64            `json:"nowMs"`
	ToleranceMs *int64            `json:"toleranceMs"`
	WebhookID   string            `json:"webhookId"`
}

type answer map[string]any

func main() {
	input := bufio.NewReader(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	for {
		line, err := input.ReadBytes('\n')
		if len(line) > 1 {
			if err := output.Encode(answerLine(line)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		if err != nil {
			return
		}
	}
}

func answerLine(line []byte) (answered answer) {
	var asked request
	err := json.Unmarshal(line, &asked)
	defer func() {
		if problem := recover(); problem != nil {
			answered = answer{"crash": fmt.Sprint(problem)}
		}
		answered["id"] = asked.ID
	}()
	if err != nil {
		return answer{"crash": err.Error()}
	}
	switch asked.Kind {
	case "webhook":
		return verify(asked)
	case "sign":
		return sign(asked)
	}
	client, err := manilla.New(asked.Key, asked.BaseURL)
	if err != nil {
		return toError(err)
	}
	switch asked.Kind {
	case "client":
		return answer{"value": "created"}
	case "print":
		return answer{"printed": fmt.Sprintf("%+v %#v", client, client)}
	}
	return call(client, asked)
}

func call(client *manilla.Client, asked request) answer {
	ctx := context.Background()
	if wait := asked.Options.FirstWaitMs; wait != nil {
		ctx = retrywait.WithFirst(ctx, time.Duration(*wait*float64(time.Millisecond)))
	}
	value, err := dispatch.Call(ctx, client, asked.Request, optionsOf(asked))
	if err != nil {
		return toError(err)
	}
	switch asked.Kind {
	case "list":
		return readItems(ctx, value, asked.LimitItems)
	case "page":
		results := reflect.ValueOf(value).MethodByName("Page").Call([]reflect.Value{reflect.ValueOf(ctx)})
		if err, ok := results[1].Interface().(error); ok {
			return toError(err)
		}
		return answer{"page": results[0].Interface()}
	}
	// Bytes are written as base64.
	return answer{"value": value}
}

func optionsOf(asked request) []manilla.Option {
	var options []manilla.Option
	if asked.Options.TimeoutMs != nil {
		options = append(options, manilla.WithTimeout(time.Duration(*asked.Options.TimeoutMs)*time.Millisecond))
	}
	if asked.Options.MaxRetries != nil {
		options = append(options, manilla.WithMaxRetries(*asked.Options.MaxRetries))
	}
	if asked.Options.IdempotencyKey != nil {
		options = append(options, manilla.WithIdempotencyKey(*asked.Options.IdempotencyKey))
	}
	return options
}

// readItems uses the methods of an Iterator of any type.
func readItems(ctx context.Context, list any, limit *int) answer {
	iterator := reflect.ValueOf(list)
	method := func(name string, arguments ...reflect.Value) any {
		return iterator.MethodByName(name).Call(arguments)[0].Interface()
	}
	items := []any{}
	for limit == nil || len(items) < *limit {
		if !method("Next", reflect.ValueOf(ctx)).(bool) {
			break
		}
		items = append(items, method("Item"))
	}
	answered := answer{}
	if err, ok := method("Err").(error); ok {
		answered = toError(err)
	}
	answered["items"] = items
	return answered
}

func verify(asked request) answer {
	body := asked.BodyBase64
	if body == nil {
		text := ""
		if err := json.Unmarshal(asked.Body, &text); err != nil {
			return answer{"crash": "the body of a webhook is always bytes in Go"}
		}
		body = []byte(text)
	}
	header := http.Header{}
	for name, value := range asked.Headers {
		header.Set(name, value)
	}
	verifier := manilla.WebhookVerifier{Secret: asked.Secret}
	if asked.NowMs != nil {
		verifier.Now = func() time.Time { return time.UnixMilli(*asked.NowMs) }
	}
	if asked.ToleranceMs != nil {
		verifier.Tolerance = time.Duration(*asked.ToleranceMs) * time.Millisecond
	}
	event, err := verifier.Verify(body, header)
	if err != nil {
		return toError(err)
	}
	return answer{"event": event}
}

func sign(asked request) answer {
	signer, err := manillatest.SignerOf(asked.Secret)
	if err != nil {
		return toError(err)
	}
	text := ""
	if err := json.Unmarshal(asked.Body, &text); err != nil {
		return answer{"crash": err.Error()}
	}
	headers := map[string]string{}
	for name, values := range signer.Header(asked.WebhookID, time.UnixMilli(*asked.NowMs), []byte(text)) {
		headers[strings.ToLower(name)] = values[0]
	}
	return answer{"headers": headers}
}

func toError(err error) answer {
	var argument *manilla.ArgumentError
	var webhook *manilla.WebhookError
	var failure *manilla.APIError
	switch {
	case errors.As(err, &argument):
		return answer{"error": answer{"type": "InvalidArgument", "message": argument.Message}}
	case errors.As(err, &webhook):
		return answer{"error": answer{"type": "WebhookError", "problem": webhook.Problem, "message": webhook.Message}}
	case !errors.As(err, &failure):
		return answer{"crash": err.Error()}
	}
	facts := answer{
		"type":           typeOf(err),
		"code":           failure.Code,
		"message":        failure.Message,
		"details":        failure.Details,
		"reason":         orNull(failure.Reason),
		"status":         orNull(failure.Status),
		"nextStep":       orNull(failure.NextStep),
		"requestId":      orNull(failure.RequestID),
		"idempotencyKey": orNull(failure.IdempotencyKey),
		"retryAfterMs":   orNull(failure.RetryAfter.Milliseconds()),
	}
	if failure.Details == nil {
		facts["details"] = []any{}
	}
	return answer{"error": facts}
}

func typeOf(err error) string {
	name := reflect.TypeOf(err).Elem().Name()
	if name == "APIError" {
		return "ManillaError"
	}
	return name
}

func orNull[T comparable](value T) any {
	var empty T
	if value == empty {
		return nil
	}
	return value
}
