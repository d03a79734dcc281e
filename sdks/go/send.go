package manilla

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// call is one use of an operation. The generated methods fill it in.
type call struct {
	// name is for errors: VirtualAccounts.Get.
	name      string
	method    string
	path      string
	arguments []string
	query     any
	body      any
	// csv is sent instead of a body.
	csv      *string
	accept   string
	isPublic bool
	// cursor overrides that of the query.
	cursor *string
}

// attempt is a call that is ready to be sent, again and again.
type attempt struct {
	settings
	method    string
	url       string
	header    http.Header
	body      []byte
	wantsFile bool
}

// answer has the data of the envelope, or the body of a file.
type answer struct {
	data json.RawMessage
	file io.ReadCloser
}

func fetchItem[T any](ctx context.Context, connection *connection, call call, options []Option) (*T, error) {
	answer, err := send(ctx, connection, call, options)
	if err != nil {
		return nil, err
	}
	item := new(T)
	if answer.data == nil {
		return item, nil
	}
	if err := json.Unmarshal(answer.data, item); err != nil {
		return nil, fmt.Errorf("manilla: the answer to %s does not fit this version of the SDK: %w", call.name, err)
	}
	return item, nil
}

func fetchList[T any](ctx context.Context, connection *connection, call call, options []Option) ([]T, error) {
	page, err := fetchItem[Page[T]](ctx, connection, call, options)
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}

func fetchNothing(ctx context.Context, connection *connection, call call, options []Option) error {
	_, err := send(ctx, connection, call, options)
	return err
}

// openFile returns a file as it arrives. The caller closes it.
func openFile(ctx context.Context, connection *connection, call call, options []Option) (io.ReadCloser, error) {
	answer, err := send(ctx, connection, call, options)
	if err != nil {
		return nil, err
	}
	return answer.file, nil
}

func fetchFile(ctx context.Context, connection *connection, call call, options []Option) ([]byte, error) {
	file, err := openFile(ctx, connection, call, options)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// send sends a request and retries while that helps. All attempts carry the same idempotency key, so
// the service runs the request at most once.
func send(ctx context.Context, connection *connection, call call, options []Option) (*answer, error) {
	attempt, err := toAttempt(connection, call, options)
	if err != nil {
		return nil, err
	}
	// A public POST has no key that would make a repeat safe.
	isRepeatable := attempt.method != http.MethodPost || attempt.idempotencyKey != ""
	mayHaveRun := false
	for retries := 0; ; retries++ {
		answered, failure := tryOnce(ctx, connection, attempt)
		if failure == nil {
			return answered, nil
		}
		// An earlier attempt whose answer was lost has deleted it.
		if mayHaveRun && attempt.method == http.MethodDelete && failure.Status == http.StatusNotFound {
			return &answer{}, nil
		}
		mayHaveRun = mayHaveRun || failure.Status == 0 || failure.Status >= http.StatusInternalServerError
		wait, isHelpful := waitBeforeRetry(ctx, failure, retries)
		if ctx.Err() != nil || !isRepeatable || !isHelpful || retries >= attempt.maxRetries {
			return nil, failure.typed()
		}
		if err := sleep(ctx, wait); err != nil {
			failure.cause = err
			return nil, failure.typed()
		}
	}
}

func toAttempt(connection *connection, call call, options []Option) (*attempt, error) {
	attempt := &attempt{settings: connection.defaults, method: call.method, header: http.Header{}}
	for _, option := range options {
		option(&attempt.settings)
	}
	path, err := fillPath(call)
	if err != nil {
		return nil, err
	}
	query, err := toQuery(call)
	if err != nil {
		return nil, err
	}
	attempt.url = connection.baseURL + path + query
	if attempt.body, err = toBody(call); err != nil {
		return nil, err
	}
	attempt.wantsFile = call.accept != ""
	attempt.header.Set("Accept", "application/json")
	if attempt.wantsFile {
		attempt.header.Set("Accept", call.accept)
	}
	if call.csv != nil {
		attempt.header.Set("Content-Type", "text/csv")
	} else if attempt.body != nil {
		attempt.header.Set("Content-Type", "application/json")
	}
	if !call.isPublic {
		connection.authorize(attempt.header)
	}
	if call.method != http.MethodPost || call.isPublic {
		attempt.idempotencyKey = ""
		return attempt, nil
	}
	if attempt.idempotencyKey == "" {
		attempt.idempotencyKey = makeUUID()
	}
	// Not in its canonical form, so that net/http does not repeat the request beyond our retries.
	attempt.header["idempotency-key"] = []string{attempt.idempotencyKey}
	return attempt, nil
}

func makeUUID() string {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		panic(err)
	}
	random[6], random[8] = random[6]&0x0f|0x40, random[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", random[:4], random[4:6], random[6:8], random[8:10], random[10:])
}

// fillPath refuses an empty segment, which would turn "get one" into "list all".
func fillPath(call call) (string, error) {
	path := call.path
	for _, argument := range call.arguments {
		start, end := strings.Index(path, "{"), strings.Index(path, "}")
		if argument == "" {
			return "", &ArgumentError{fmt.Sprintf("%s needs %s, but got an empty string.", call.name, path[start+1:end])}
		}
		// PathEscape would leave characters that proxies treat as separators.
		path = path[:start] + strings.ReplaceAll(url.QueryEscape(argument), "+", "%20") + path[end+1:]
	}
	return path, nil
}

func toQuery(call call) (string, error) {
	text, err := json.Marshal(call.query)
	if err != nil {
		return "", err
	}
	var fields Object
	if err := json.Unmarshal(text, &fields); err != nil {
		return "", err
	}
	values := url.Values{}
	for name, value := range fields {
		if value != nil {
			values.Set(name, fmt.Sprint(value))
		}
	}
	if call.cursor != nil {
		values.Set("cursor", *call.cursor)
	}
	if len(values) == 0 {
		return "", nil
	}
	return "?" + values.Encode(), nil
}

func toBody(call call) ([]byte, error) {
	if call.csv != nil {
		return []byte(*call.csv), nil
	}
	if call.body == nil {
		return nil, nil
	}
	text, err := json.Marshal(call.body)
	if string(text) == "null" {
		// The method was called with nil instead of a struct.
		text = []byte("{}")
	}
	return text, err
}

func tryOnce(ctx context.Context, connection *connection, attempt *attempt) (*answer, *APIError) {
	attemptContext, cancel := context.WithCancel(ctx)
	var isLate atomic.Bool
	// An export may take longer than the timeout, which then covers its beginning only.
	timer := time.AfterFunc(attempt.timeout, func() {
		isLate.Store(true)
		cancel()
	})
	defer timer.Stop()
	noAnswer := func(cause error) *APIError {
		if ctx.Err() != nil {
			cause = ctx.Err()
		}
		why := fmt.Sprintf("(%v)", cause)
		if isLate.Load() {
			why = fmt.Sprintf("within %v", attempt.timeout)
		}
		return &APIError{
			Code:           ErrorCodeNoAnswer,
			Message:        fmt.Sprintf("No answer from %s %s.", connection.baseURL, why),
			NextStep:       toNextStep(ctx, attempt.idempotencyKey),
			IdempotencyKey: attempt.idempotencyKey,
			cause:          cause,
		}
	}
	response, err := exchange(attemptContext, attempt)
	if err != nil {
		cancel()
		return nil, noAnswer(err)
	}
	isSuccess := response.StatusCode >= 200 && response.StatusCode < 300
	if isSuccess && attempt.wantsFile {
		reportAnswer(attempt, response)
		return &answer{file: &file{ctx, connection, response.Body, cancel}}, nil
	}
	defer cancel()
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, noAnswer(err)
	}
	reportAnswer(attempt, response)
	envelope := map[string]json.RawMessage{}
	_ = json.Unmarshal(text, &envelope)
	if data, ok := envelope["data"]; isSuccess && ok {
		return &answer{data: data}, nil
	}
	return nil, toRefusal(response, envelope, attempt)
}

func exchange(ctx context.Context, attempt *attempt) (*http.Response, error) {
	var body io.Reader
	if attempt.body != nil {
		body = bytes.NewReader(attempt.body)
	}
	request, err := http.NewRequestWithContext(ctx, attempt.method, attempt.url, body)
	if err != nil {
		return nil, err
	}
	request.Header = attempt.header.Clone()
	response, err := attempt.httpClient.Do(request)
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		// It repeats method and URL.
		err = wrapped.Err
	}
	return response, err
}

func reportAnswer(attempt *attempt, response *http.Response) {
	if attempt.onAnswer != nil {
		attempt.onAnswer(Answer{
			Status:     response.StatusCode,
			RequestID:  response.Header.Get("X-Request-Id"),
			IsReplayed: response.Header.Get("Idempotent-Replayed") == "true",
		})
	}
}

func toNextStep(ctx context.Context, idempotencyKey string) string {
	if idempotencyKey == "" && ctx.Err() != nil {
		return ""
	}
	if idempotencyKey == "" {
		return "Check baseURL and that the service is running."
	}
	return "The request may have been carried out. Retry with the same idempotency key, " + idempotencyKey + ": it runs at most once."
}

func toRefusal(response *http.Response, envelope map[string]json.RawMessage, attempt *attempt) *APIError {
	text := func(name string) (value string) {
		_ = json.Unmarshal(envelope[name], &value)
		return value
	}
	failure := &APIError{
		Code:           ErrorCode(text("code")),
		Reason:         ErrorReason(text("reason")),
		Status:         response.StatusCode,
		Message:        text("message"),
		NextStep:       text("nextStep"),
		RequestID:      text("requestId"),
		IdempotencyKey: attempt.idempotencyKey,
		RetryAfter:     readRetryAfter(response.Header.Get("Retry-After"), time.Now()),
	}
	_ = json.Unmarshal(envelope["details"], &failure.Details)
	if failure.RequestID == "" {
		failure.RequestID = response.Header.Get("X-Request-Id")
	}
	if failure.Code == "" {
		failure.Code = ErrorCodeUnexpectedAnswer
		failure.Message = fmt.Sprintf("%s answered %d, which is not an answer of Manilla.", attempt.url, failure.Status)
		if target := response.Header.Get("Location"); target != "" {
			failure.Message = fmt.Sprintf("%s answered %d and redirects to %s.", attempt.url, failure.Status, target)
		}
		failure.NextStep = "Check baseURL and any proxy between you and the service."
	} else if failure.Message == "" {
		failure.Message = "The service sent no message."
	}
	return failure
}

// file is the body of an export. One that breaks off is an error.
type file struct {
	ctx        context.Context
	connection *connection
	body       io.ReadCloser
	cancel     context.CancelFunc
}

func (f *file) Read(buffer []byte) (int, error) {
	count, err := f.body.Read(buffer)
	if err == nil || err == io.EOF {
		return count, err
	}
	if f.ctx.Err() != nil {
		err = f.ctx.Err()
	}
	return count, (&APIError{
		Code:     ErrorCodeNoAnswer,
		Message:  fmt.Sprintf("The export from %s broke off (%v).", f.connection.baseURL, err),
		NextStep: "What you have is not complete. Request it again.",
		cause:    err,
	}).typed()
}

func (f *file) Close() error {
	defer f.cancel()
	return f.body.Close()
}
