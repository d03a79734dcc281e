// Package manilla is the client of Manilla, the self-hosted payment service: collect naira and
// stablecoins, pay out to banks and wallets.
//
//	client, err := manilla.New(os.Getenv("MANILLA_KEY"), "https://pay.example.com")
//	account, err := client.VirtualAccounts.Create(ctx, &manilla.CreateVirtualAccountInput{
//		MerchantReference: "order-1001",
//		Amount:            500_000,
//	})
//
// Naira amounts are integers in kobo; USDC and USDT amounts are decimal strings. A Client is safe for
// concurrent use; create one and keep it.
package manilla

import (
	"net/http"
	"regexp"
	"strings"
	"time"
)

// An Option changes all requests of a client, or one request.
type Option func(*settings)

type settings struct {
	httpClient     *http.Client
	timeout        time.Duration
	maxRetries     int
	idempotencyKey string
	onAnswer       func(Answer)
}

// Answer is the metadata of an answer.
type Answer struct {
	Status int
	// RequestID identifies the request: client.RequestLogs.Get(ctx, requestID).
	RequestID string
	// IsReplayed is true if this repeats the answer to an earlier request with the same key.
	IsReplayed bool
}

// WithHTTPClient sets the client that sends requests, for a proxy or for tests. Redirects are never
// followed. Its Timeout also ends exports that take longer.
func WithHTTPClient(client *http.Client) Option {
	return func(s *settings) { s.httpClient = withoutRedirects(client) }
}

// WithTimeout limits each attempt; 30 seconds by default.
func WithTimeout(timeout time.Duration) Option {
	return func(s *settings) { s.timeout = timeout }
}

// WithMaxRetries sets the number of retries; 3 by default. 0 means one attempt only.
func WithMaxRetries(retries int) Option {
	return func(s *settings) { s.maxRetries = retries }
}

// WithIdempotencyKey makes a POST safe to repeat, even after a crash: the same key with the same
// request runs at most once. Without it, each call has its own key, which retries repeat.
func WithIdempotencyKey(key string) Option {
	return func(s *settings) { s.idempotencyKey = key }
}

// OnAnswer is called for every answer, including those that are retried.
func OnAnswer(report func(Answer)) Option {
	return func(s *settings) { s.onAnswer = report }
}

type connection struct {
	baseURL string
	// A function, so that printing a client never shows the key.
	authorize func(http.Header)
	defaults  settings
}

var keyPattern = regexp.MustCompile(`^[sp]k_(test|live)_`)
var baseURLPattern = regexp.MustCompile(`^(?i:https?)://[^/?#]+[^?#]*$`)

// New creates a client of the service at baseURL, such as https://pay.example.com. The key decides the
// mode: sk_test_… or sk_live_…. A key or URL that could never work is an error.
func New(key, baseURL string, options ...Option) (*Client, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if !baseURLPattern.MatchString(baseURL) {
		return nil, &ArgumentError{"baseURL must be the URL of your Manilla service, such as https://pay.example.com."}
	}
	defaults := settings{timeout: 30 * time.Second, maxRetries: 3}
	for _, option := range options {
		option(&defaults)
	}
	if defaults.idempotencyKey != "" {
		return nil, &ArgumentError{"An idempotency key belongs to one request: pass it to the method."}
	}
	if defaults.httpClient == nil {
		defaults.httpClient = defaultClient
	}
	return newClient(&connection{
		// Paths include the version.
		baseURL:   strings.TrimSuffix(strings.TrimRight(baseURL, "/"), "/v1"),
		authorize: func(header http.Header) { header.Set("Authorization", "Bearer "+key) },
		defaults:  defaults,
	}), nil
}

func checkKey(key string) error {
	switch {
	case key == "":
		return &ArgumentError{"The key is empty. Is its variable set?"}
	case strings.TrimSpace(key) != key:
		return &ArgumentError{"The key has whitespace around it. Trim it."}
	case !keyPattern.MatchString(key):
		return &ArgumentError{"This is not a Manilla key. Keys start with sk_test_ or sk_live_."}
	}
	return nil
}

var defaultClient = withoutRedirects(&http.Client{Transport: withMoreConnections(http.DefaultTransport)})

// By default, only two idle connections to the service would be kept.
func withMoreConnections(transport http.RoundTripper) http.RoundTripper {
	original, ok := transport.(*http.Transport)
	if !ok {
		return transport
	}
	copied := original.Clone()
	copied.MaxIdleConnsPerHost = copied.MaxIdleConns
	return copied
}

// Never send the key to an address that a redirect names.
func withoutRedirects(client *http.Client) *http.Client {
	copied := *client
	copied.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &copied
}
