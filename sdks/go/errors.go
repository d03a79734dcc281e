package manilla

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// APIError is every error of a request that was sent. The types below are kinds of it, so errors.As
// finds both:
//
//	var apiError *manilla.APIError
//	if errors.As(err, &apiError) {
//		log.Print(apiError.Code, apiError.NextStep, apiError.RequestID)
//	}
type APIError struct {
	// Code is for programs: branch on it.
	Code ErrorCode
	// Reason is more specific, if there is one.
	Reason ErrorReason
	// Status is the HTTP status; 0 if there was no answer.
	Status  int
	Message string
	// NextStep says what to do next.
	NextStep string
	// Details are problems by field.
	Details []ErrorDetail
	// RequestID identifies the request in the logs of the service.
	RequestID string
	// IdempotencyKey is the key the request was sent with. Retry with the same key: it runs at most once.
	IdempotencyKey string
	// RetryAfter is that of the Retry-After header.
	RetryAfter time.Duration

	cause error
}

// ArgumentError is a key, a URL or an argument that can never work, found before anything is sent.
type ArgumentError struct{ Message string }

func (e *ArgumentError) Error() string { return "manilla: " + e.Message }

// ErrorDetail is what is wrong with one field.
type ErrorDetail struct {
	Field string `json:"field"`
	Issue string `json:"issue"`
}

const (
	// ErrorCodeNoAnswer: no connection, or no answer in time.
	ErrorCodeNoAnswer ErrorCode = "no_answer"
	// ErrorCodeUnexpectedAnswer: the answer is not one of Manilla.
	ErrorCodeUnexpectedAnswer ErrorCode = "unexpected_answer"
)

func (e *APIError) Error() string {
	text := "manilla: " + e.Message
	if e.NextStep != "" {
		text += " " + e.NextStep
	}
	facts := []string{string(e.Code)}
	if e.Reason != "" {
		facts = append(facts, string(e.Reason))
	}
	if e.RequestID != "" {
		facts = append(facts, "request "+e.RequestID)
	}
	return fmt.Sprintf("%s (%s)", text, strings.Join(facts, ", "))
}

// Unwrap returns the cause, such as context.DeadlineExceeded.
func (e *APIError) Unwrap() error { return e.cause }

// As finds the APIError in its kinds, which embed it.
func (e *APIError) As(target any) bool {
	found, ok := target.(**APIError)
	if ok {
		*found = e
	}
	return ok
}

// ConnectionError: no connection, or no answer in time. The request may have been carried out.
type ConnectionError struct{ APIError }

// AuthenticationError, 401 or 403: the key is missing, invalid or lacks permission.
type AuthenticationError struct{ APIError }

// ValidationError, 400, 413 or 415: the request is invalid; see Details.
type ValidationError struct{ APIError }

// InsufficientBalanceError, 402: the available balance cannot cover amount and fee.
type InsufficientBalanceError struct{ APIError }

// NotFoundError, 404: not found in the environment of this key.
type NotFoundError struct{ APIError }

// RateLimitError, 429: too many requests, even after retries.
type RateLimitError struct{ APIError }

// typed returns the kind of error that the status stands for.
func (e *APIError) typed() error {
	switch e.Status {
	case 0:
		return &ConnectionError{*e}
	case http.StatusUnauthorized, http.StatusForbidden:
		return &AuthenticationError{*e}
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		return &ValidationError{*e}
	case http.StatusPaymentRequired:
		return &InsufficientBalanceError{*e}
	case http.StatusNotFound:
		return &NotFoundError{*e}
	case http.StatusTooManyRequests:
		return &RateLimitError{*e}
	}
	return e
}
