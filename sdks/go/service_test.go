package manilla_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	manilla "github.com/manilla-dev/manilla-go"
	"github.com/manilla-dev/manilla-go/internal/retrywait"
)

const key = "sk_test_abcdefgh"

// ctx makes the first wait between retries short.
var ctx = retrywait.WithFirst(context.Background(), time.Millisecond)

// service answers requests one after the other and remembers them.
type service struct {
	*manilla.Client
	server *httptest.Server
	mutex  sync.Mutex
	seen   []seenRequest
}

type seenRequest struct {
	from, method, path, query, body string
	header                          http.Header
}

type step func(writer http.ResponseWriter)

// serve plays the steps; the last one answers all further requests, too.
func serve(t *testing.T, steps ...step) *service {
	t.Helper()
	played := &service{}
	played.server = httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		played.mutex.Lock()
		index := len(played.seen)
		played.seen = append(played.seen, seenRequest{request.RemoteAddr, request.Method, request.URL.EscapedPath(), request.URL.RawQuery, string(body), request.Header})
		played.mutex.Unlock()
		if index >= len(steps) {
			index = len(steps) - 1
		}
		steps[index](writer)
	}))
	t.Cleanup(played.server.Close)
	client, err := manilla.New(key, played.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	played.Client = client
	return played
}

func text(status int, text string, headers ...string) step {
	return func(writer http.ResponseWriter) {
		for index := 0; index < len(headers); index += 2 {
			writer.Header().Set(headers[index], headers[index+1])
		}
		writer.WriteHeader(status)
		_, _ = io.WriteString(writer, text)
	}
}

func data(json string) step { return text(200, `{"status":true,"message":"Done","data":`+json+`}`) }

func refuse(status int, fields string, headers ...string) step {
	return text(status, `{"status":false,"message":"No.","requestId":"req_1",`+fields+`}`, headers...)
}

// lose breaks the connection without an answer.
func lose(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func (s *service) requests() []seenRequest {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]seenRequest{}, s.seen...)
}

func (s *service) keys() map[string]bool {
	keys := map[string]bool{}
	for _, request := range s.requests() {
		keys[request.header.Get("Idempotency-Key")] = true
	}
	return keys
}

func assert(t *testing.T, holds bool, message string, facts ...any) {
	t.Helper()
	if !holds {
		t.Errorf(message, facts...)
	}
}
