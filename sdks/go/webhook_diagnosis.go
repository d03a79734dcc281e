package manilla

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"unicode/utf8"
)

// Common changes to a body before verification; undoing one proves that it happened.
var undoings = []struct {
	what string
	undo func(body []byte) ([]byte, error)
}{
	{"whitespace was added around it", func(body []byte) ([]byte, error) { return bytes.TrimSpace(body), nil }},
	{"it was parsed and serialized again", serializeAgain},
	{"its bytes were read as Latin-1 instead of UTF-8", readAgainAsUTF8},
}

// diagnose finds out why no signature matches, as far as possible.
func diagnose(key webhookKey, message signedMessage, signatures []string) *WebhookError {
	if len(signatures) == 0 {
		return &WebhookError{WebhookSignatureMismatch, "The webhook-signature header has no " + key.version +
			" signature. The request is not from Manilla, or a proxy cut the header."}
	}
	for _, undoing := range undoings {
		body, err := undoing.undo(message.body)
		if err == nil && key.matches(signedMessage{message.id, message.timestamp, body}, signatures) {
			return &WebhookError{WebhookBodyChanged, "The body was changed: " + undoing.what +
				". Verify the raw body before any middleware touches it."}
		}
	}
	var event struct {
		ID string `json:"id"`
	}
	switch err := json.Unmarshal(message.body, &event); {
	case len(message.body) == 0:
		return &WebhookError{WebhookBodyChanged, "The body is empty: something has already read it."}
	case err != nil:
		return &WebhookError{WebhookBodyChanged, "The body is not complete JSON: it was cut or changed."}
	case event.ID != message.id:
		return &WebhookError{WebhookBodyChanged, "The body belongs to another event than the headers. Pass both from the same request."}
	}
	return &WebhookError{WebhookSignatureMismatch, "The signature was made with another secret. Use the secret of this endpoint and mode; " +
		"after a rotation, the new one. If the secret is right, the body was changed on the way."}
}

var literalPattern = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// serializeAgain writes JSON as the service does: in one line, escaping only what must be.
func serializeAgain(body []byte) ([]byte, error) {
	var line bytes.Buffer
	if err := json.Compact(&line, body); err != nil {
		return nil, err
	}
	return literalPattern.ReplaceAllFunc(line.Bytes(), func(literal []byte) []byte {
		var text string
		var again bytes.Buffer
		encoder := json.NewEncoder(&again)
		encoder.SetEscapeHTML(false)
		if json.Unmarshal(literal, &text) != nil || encoder.Encode(text) != nil {
			return literal
		}
		return bytes.TrimSuffix(again.Bytes(), []byte("\n"))
	}), nil
}

func readAgainAsUTF8(body []byte) ([]byte, error) {
	var again []byte
	for _, letter := range string(body) {
		if letter > 0xff {
			return nil, errors.New("not Latin-1")
		}
		again = append(again, byte(letter))
	}
	if !utf8.Valid(again) {
		return nil, errors.New("not UTF-8")
	}
	return again, nil
}
