package manilla_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	manilla "github.com/manilla-dev/manilla-go"
	"github.com/manilla-dev/manilla-go/internal/retrywait"
)

func TestRefusesKeysAndURLsThatNeverWork(t *testing.T) {
	for _, wrong := range [][2]string{
		{"", "https://pay.example.com"}, {"whsec_abc", "https://pay.example.com"}, {key + "\n", "https://pay.example.com"},
		{key, ""}, {key, "pay.example.com"}, {key, "https://pay.example.com?a=1"}, {key, "ftp://pay.example.com"},
	} {
		_, err := manilla.New(wrong[0], wrong[1])
		var argument *manilla.ArgumentError
		assert(t, errors.As(err, &argument), "New(%q, %q) = %v", wrong[0], wrong[1], err)
	}
	_, err := manilla.New(key, "https://pay.example.com", manilla.WithIdempotencyKey("k"))
	assert(t, err != nil, "a key for all requests was accepted")
}

func TestPrintingAClientNeverShowsTheKey(t *testing.T) {
	client, err := manilla.New(key, "HTTPS://pay.example.com/manilla/v1/")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		for _, value := range []any{client, *client, client.Payments, *client.Payments} {
			printed := fmt.Sprintf(format, value)
			assert(t, !strings.Contains(printed, key), "%s printed %s", format, printed)
		}
	}
}

func TestRetriesCarryOneIdempotencyKey(t *testing.T) {
	service := serve(t, lose, text(502, "Bad gateway"), refuse(409, `"code":"conflict","reason":"idempotency_in_progress"`), data(`{"reference":"bt_1"}`))
	var answers []int
	transfer, err := service.BankTransfers.Create(ctx, &manilla.CreateBankTransferInput{Amount: 5000, BankCode: manilla.Ptr("058")},
		manilla.OnAnswer(func(answer manilla.Answer) { answers = append(answers, answer.Status) }))
	if err != nil {
		t.Fatal(err)
	}
	assert(t, transfer.Reference == "bt_1", "got %v", transfer.Reference)
	assert(t, len(service.requests()) == 4, "%d requests", len(service.requests()))
	assert(t, len(service.keys()) == 1, "keys %v", service.keys())
	assert(t, fmt.Sprint(answers) == "[502 409 200]", "answers %v", answers)
	for _, request := range service.requests() {
		assert(t, request.body == `{"amount":5000,"bankCode":"058"}`, "body %s", request.body)
		assert(t, len(request.header.Get("Idempotency-Key")) == 36, "key %s", request.header.Get("Idempotency-Key"))
	}
	_, _ = service.Conversions.Create(ctx, &manilla.CreateConversionInput{Quote: "q"}, manilla.WithIdempotencyKey("mine"))
	last := service.requests()[len(service.requests())-1]
	assert(t, last.header.Get("Idempotency-Key") == "mine", "key %s", last.header.Get("Idempotency-Key"))
}

func TestNetHTTPSendsNoMoreThanAsked(t *testing.T) {
	// The connection of the first answer is reused, which makes net/http repeat requests on its own.
	service := serve(t, data(`{}`), lose, data(`{}`), lose, data(`{}`), lose)
	for index := 0; index < 3; index++ {
		_, _ = service.BankTransfers.Get(ctx, "bt_1")
		_, err := service.VirtualAccounts.Cancel(ctx, "va_1", manilla.WithMaxRetries(0))
		assert(t, err != nil, "a lost POST succeeded")
	}
	assert(t, len(service.requests()) == 6, "%d requests", len(service.requests()))
}

func TestOtherRefusalsAreFinal(t *testing.T) {
	for _, step := range []step{
		refuse(400, `"code":"validation_failed"`), refuse(402, `"code":"insufficient_balance"`), refuse(404, `"code":"not_found"`),
		refuse(409, `"code":"conflict","reason":"idempotency_key_reused"`), refuse(501, `"code":"x"`),
		refuse(429, `"code":"rate_limited"`, "Retry-After", "31"),
	} {
		service := serve(t, step)
		_, err := service.Conversions.Create(ctx, &manilla.CreateConversionInput{Quote: "q"})
		assert(t, err != nil && len(service.requests()) == 1, "%v after %d requests", err, len(service.requests()))
	}
}

func TestRetriesEnd(t *testing.T) {
	service := serve(t, refuse(500, `"code":"internal_error"`))
	_, _ = service.Balances.List(ctx, nil)
	assert(t, len(service.requests()) == 4, "%d requests", len(service.requests()))
	_, _ = service.Balances.List(ctx, nil, manilla.WithMaxRetries(1))
	assert(t, len(service.requests()) == 6, "%d requests", len(service.requests()))
	// Without a key nothing makes a repeat safe.
	_, _ = service.Checkout.Simulate(ctx, "cs_1", nil)
	assert(t, len(service.requests()) == 7, "%d requests", len(service.requests()))
	last := service.requests()[6]
	assert(t, last.body == "{}" && last.header.Get("Authorization") == "" && last.header.Get("Idempotency-Key") == "", "%+v", last)
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	service := serve(t, refuse(429, `"code":"rate_limited"`, "Retry-After", "1"), data(`{"items":[]}`))
	start := time.Now()
	_, err := service.Balances.List(ctx, nil)
	assert(t, err == nil && time.Since(start) >= time.Second, "%v after %v", err, time.Since(start))
}

func TestErrorsHaveTypesAndFacts(t *testing.T) {
	service := serve(t, refuse(402, `"code":"insufficient_balance","reason":"new_reason","nextStep":"Fund it.","details":[{"field":"amount","issue":"Too much."}]`))
	_, err := service.Conversions.Create(ctx, &manilla.CreateConversionInput{Quote: "q"}, manilla.WithIdempotencyKey("k1"))
	var balance *manilla.InsufficientBalanceError
	var failure *manilla.APIError
	var notFound *manilla.NotFoundError
	if !errors.As(err, &balance) || !errors.As(fmt.Errorf("wrapped: %w", err), &failure) || errors.As(err, &notFound) {
		t.Fatalf("%T", err)
	}
	assert(t, balance.Code == manilla.ErrorCodeInsufficientBalance && failure.Reason == "new_reason" && failure.Status == 402, "%+v", failure)
	assert(t, failure.RequestID == "req_1" && failure.IdempotencyKey == "k1" && failure.Details[0].Field == "amount", "%+v", failure)
	assert(t, err.Error() == "manilla: No. Fund it. (insufficient_balance, new_reason, request req_1)", "%v", err)
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	other := serve(t, data(`{}`))
	service := serve(t, text(307, "", "Location", other.server.URL))
	_, err := service.Profile.Get(ctx)
	var failure *manilla.APIError
	assert(t, errors.As(err, &failure) && failure.Code == manilla.ErrorCodeUnexpectedAnswer, "%v", err)
	assert(t, strings.Contains(err.Error(), "redirects to "+other.server.URL), "%v", err)
	assert(t, len(other.requests()) == 0, "the key was sent elsewhere")
}

func TestADeletionWhoseAnswerWasLostSucceeds(t *testing.T) {
	service := serve(t, lose, refuse(404, `"code":"not_found"`))
	assert(t, service.WebhookEndpoints.Delete(ctx, "we_1") == nil, "not deleted")
	err := service.WebhookEndpoints.Delete(ctx, "we_1")
	var notFound *manilla.NotFoundError
	assert(t, errors.As(err, &notFound), "%v", err)
}

// counting counts requests, also those that end before they reach the service.
type counting struct{ count int32 }

func (c *counting) RoundTrip(request *http.Request) (*http.Response, error) {
	atomic.AddInt32(&c.count, 1)
	return http.DefaultTransport.RoundTrip(request)
}

func TestTimeoutAndContextEndARequest(t *testing.T) {
	release := make(chan struct{})
	service := serve(t, func(http.ResponseWriter) { <-release })
	defer close(release)
	sent := &counting{}
	transport := manilla.WithHTTPClient(&http.Client{Transport: sent})
	_, err := service.Profile.Get(ctx, transport, manilla.WithTimeout(20*time.Millisecond), manilla.WithMaxRetries(1))
	var connection *manilla.ConnectionError
	assert(t, errors.As(err, &connection) && strings.Contains(err.Error(), "within 20ms"), "%v", err)
	assert(t, sent.count == 2, "%d requests", sent.count)

	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	_, err = service.Conversions.Create(short, &manilla.CreateConversionInput{Quote: "q"}, transport)
	assert(t, errors.Is(err, context.DeadlineExceeded) && errors.As(err, &connection), "%v", err)
	assert(t, connection.IdempotencyKey != "", "no key to repeat the request with")
	assert(t, sent.count == 3, "%d requests", sent.count)

	// While it waits for the next attempt.
	failing := serve(t, refuse(503, `"code":"unavailable"`))
	slow, cancel := context.WithTimeout(retrywait.WithFirst(context.Background(), time.Minute), time.Second)
	defer cancel()
	_, err = failing.Profile.Get(slow)
	var failure *manilla.APIError
	assert(t, errors.Is(err, context.DeadlineExceeded) && errors.As(err, &failure) && failure.Status == 503, "%v", err)
}

func TestPathsAreEscapedAndNeverEmpty(t *testing.T) {
	service := serve(t, data(`{}`))
	_, _ = service.Payments.Get(ctx, "a/b ?%&ü")
	assert(t, service.requests()[0].path == "/v1/collections/payments/a%2Fb%20%3F%25%26%C3%BC", "%s", service.requests()[0].path)
	_, err := service.Payments.Get(ctx, "")
	assert(t, err != nil && len(service.requests()) == 1, "%v", err)
	returns := service.Payments.Returns("", nil)
	assert(t, !returns.Next(ctx) && returns.Err() != nil, "an empty reference was accepted")
}

func TestListsReadAllPages(t *testing.T) {
	pages := func() *service {
		return serve(t, data(`{"items":[{"reference":"1"},{"reference":"2"}],"nextCursor":"c 2"}`), lose,
			data(`{"items":[],"nextCursor":"c3"}`), data(`{"items":[{"reference":"3"}],"nextCursor":null}`))
	}
	service := pages()
	payments := service.Payments.List(&manilla.ListPaymentsQuery{Limit: manilla.Int(2), Status: manilla.Ptr(manilla.PaymentStatusHeld)})
	found := ""
	for payments.Next(ctx) {
		found += payments.Item().Reference
	}
	assert(t, found == "123" && payments.Err() == nil, "%s %v", found, payments.Err())
	assert(t, !payments.Next(ctx), "there is more after the end")
	assert(t, service.requests()[2].query == "cursor=c+2&limit=2&status=HELD", "%s", service.requests()[2].query)

	found = ""
	pages().Payments.List(nil).All(ctx)(func(payment *manilla.ListedPayment, err error) bool {
		found += payment.Reference
		return found != "12"
	})
	assert(t, found == "12", "%s", found)

	page, err := pages().Payments.List(nil).Page(ctx)
	assert(t, err == nil && len(page.Items) == 2 && *page.NextCursor == "c 2", "%v %v", page, err)

	failing := serve(t, data(`{"items":[{"reference":"1"}],"nextCursor":"c2"}`), refuse(403, `"code":"forbidden"`)).Payments.List(nil)
	count := 0
	for failing.Next(ctx) {
		count++
	}
	var denied *manilla.AuthenticationError
	assert(t, count == 1 && errors.As(failing.Err(), &denied), "%d %v", count, failing.Err())

	// A service that repeats a cursor must not be asked forever.
	same := serve(t, data(`{"items":[{"reference":"1"}],"nextCursor":"c"}`)).Payments.List(nil)
	for count = 0; same.Next(ctx); count++ {
		assert(t, count < 3, "does not end")
	}
}

func TestFilesArriveWhole(t *testing.T) {
	service := serve(t, text(200, "\ufeffreference\n1\n", "Content-Type", "text/csv"))
	file, err := service.Payments.CSV(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	assert(t, err == nil && string(content) == "\ufeffreference\n1\n", "%q %v", content, err)
	assert(t, service.requests()[0].header.Get("Accept") == "text/csv", "%v", service.requests()[0].header)

	broken := serve(t, text(200, "%PDF", "Content-Length", "100"))
	_, err = broken.Invoices.PDF(ctx, "inv_1")
	var connection *manilla.ConnectionError
	assert(t, errors.As(err, &connection) && strings.Contains(err.Error(), "broke off"), "%v", err)
}

func TestBatchesTakeCSV(t *testing.T) {
	service := serve(t, data(`{"reference":"pb_1"}`))
	_, err := service.Batches.CreateCSV(ctx, "amount\n1\n")
	sent := service.requests()[0]
	assert(t, err == nil && sent.body == "amount\n1\n" && sent.header.Get("Content-Type") == "text/csv", "%v %+v", err, sent)
}

func TestOneClientServesManyGoroutines(t *testing.T) {
	service := serve(t, text(503, ""), data(`{"items":[{"reference":"1"}],"nextCursor":null}`))
	var group sync.WaitGroup
	for index := 0; index < 20; index++ {
		group.Add(1)
		go func() {
			defer group.Done()
			payments := service.Payments.List(nil)
			for payments.Next(ctx) {
				assert(t, payments.Item().Reference == "1", "%v", payments.Item())
			}
			_, err := service.Conversions.Create(ctx, &manilla.CreateConversionInput{Quote: "q"})
			assert(t, err == nil && payments.Err() == nil, "%v %v", err, payments.Err())
		}()
	}
	group.Wait()
	assert(t, len(service.keys()) == 21, "%d keys", len(service.keys()))
}

func TestConnectionsAreKept(t *testing.T) {
	service := serve(t, data(`{"items":[]}`))
	for round := 0; round < 10; round++ {
		var group sync.WaitGroup
		for index := 0; index < 20; index++ {
			group.Add(1)
			go func() {
				defer group.Done()
				_, _ = service.Balances.List(ctx, nil)
			}()
		}
		group.Wait()
	}
	connections := map[string]bool{}
	for _, request := range service.requests() {
		connections[request.from] = true
	}
	assert(t, len(connections) <= 100, "%d connections for 20 requests at a time", len(connections))
}
