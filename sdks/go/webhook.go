package manilla

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// WebhookError says why a webhook could not be verified. Answer 400 and do nothing.
type WebhookError struct {
	// Problem is for programs: branch on it.
	Problem WebhookProblem
	// Message says what to change.
	Message string
}

// WebhookProblem is what is wrong with a webhook.
type WebhookProblem string

// What is wrong with a webhook.
const (
	WebhookBodyChanged       WebhookProblem = "body_changed"
	WebhookHeadersMissing    WebhookProblem = "headers_missing"
	WebhookSecretMalformed   WebhookProblem = "secret_malformed"
	WebhookSignatureMismatch WebhookProblem = "signature_mismatch"
	WebhookTooOld            WebhookProblem = "too_old"
	WebhookTooNew            WebhookProblem = "too_new"
)

func (e *WebhookError) Error() string { return "manilla: " + e.Message }

// WebhookVerifier verifies webhooks with other settings than VerifyWebhook.
type WebhookVerifier struct {
	// Secret is that of the endpoint, whsec_…, or its public key, whpk_….
	Secret string
	// Tolerance is the maximum difference to your clock; 5 minutes if it is 0.
	Tolerance time.Duration
	// Now returns the current time; time.Now if it is nil.
	Now func() time.Time
}

// VerifyWebhook verifies signature and age of a webhook and returns the event. Pass the raw body and
// the endpoint's secret (or its public key). The error is a *WebhookError that says what to change.
func VerifyWebhook(body []byte, header http.Header, secret string) (*WebhookEvent, error) {
	return WebhookVerifier{Secret: secret}.Verify(body, header)
}

// Verify verifies signature and age of a webhook and returns the event.
func (v WebhookVerifier) Verify(body []byte, header http.Header) (*WebhookEvent, error) {
	if v.Tolerance < 0 {
		return nil, errors.New("manilla: Tolerance must not be negative")
	}
	message, err := readMessage(body, header)
	if err != nil {
		return nil, err
	}
	key, err := readWebhookKey(v.Secret)
	if err != nil {
		return nil, err
	}
	var signatures []string
	for _, signature := range strings.Split(header.Get("Webhook-Signature"), " ") {
		if strings.HasPrefix(signature, key.version+",") {
			signatures = append(signatures, strings.TrimPrefix(signature, key.version+","))
		}
	}
	if !key.matches(message, signatures) {
		return nil, diagnose(key, message, signatures)
	}
	// After the signature, so that the time is proven to be the sender's.
	if err := v.checkTime(message.timestamp); err != nil {
		return nil, err
	}
	if !json.Valid(body) {
		return nil, &WebhookError{WebhookBodyChanged, "The body is signed with your secret but is not JSON: it is not a webhook of Manilla."}
	}
	event := new(WebhookEvent)
	if err := json.Unmarshal(body, event); err != nil {
		return nil, err
	}
	return event, nil
}

type signedMessage struct {
	id, timestamp string
	body          []byte
}

var timestampPattern = regexp.MustCompile(`^\d{1,12}$`)

func readMessage(body []byte, header http.Header) (signedMessage, error) {
	message := signedMessage{header.Get("Webhook-Id"), header.Get("Webhook-Timestamp"), body}
	var missing []string
	if message.id == "" {
		missing = append(missing, "webhook-id")
	}
	if !timestampPattern.MatchString(message.timestamp) {
		missing = append(missing, "webhook-timestamp")
	}
	if header.Get("Webhook-Signature") == "" {
		missing = append(missing, "webhook-signature")
	}
	if missing == nil {
		return message, nil
	}
	return message, &WebhookError{WebhookHeadersMissing, fmt.Sprintf(
		"The request has no %s. Pass all headers of the request; if these did not arrive, it is not a webhook, or a proxy removed them.",
		strings.Join(missing, ", no "))}
}

func (v WebhookVerifier) checkTime(timestamp string) error {
	tolerance, now := v.Tolerance, time.Now
	if tolerance == 0 {
		tolerance = 5 * time.Minute
	}
	if v.Now != nil {
		now = v.Now
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return err
	}
	age := now().Sub(time.Unix(seconds, 0))
	if age > tolerance {
		return &WebhookError{WebhookTooOld, fmt.Sprintf(
			"The signature is valid, but the webhook was sent %.0f s ago; at most %v s is allowed. It was delayed or replayed, or your clock is fast.",
			age.Seconds(), tolerance.Seconds())}
	}
	if age < -tolerance {
		return &WebhookError{WebhookTooNew, fmt.Sprintf(
			"The signature is valid, but the webhook is %.0f s ahead of your clock; at most %v s is allowed. Your clock is slow, or the service's is fast.",
			-age.Seconds(), tolerance.Seconds())}
	}
	return nil
}

// webhookKey verifies signatures of one version.
type webhookKey struct {
	version string
	verify  func(content, signature []byte) bool
}

func (k webhookKey) matches(message signedMessage, signatures []string) bool {
	content := append([]byte(message.id+"."+message.timestamp+"."), message.body...)
	for _, signature := range signatures {
		if given, err := fromBase64(signature); err == nil && k.verify(content, given) {
			return true
		}
	}
	return false
}

var apiKeyPattern = regexp.MustCompile(`^[sp]k_`)

// readWebhookKey: whsec_… verifies the HMAC signature, whpk_… the Ed25519 one.
func readWebhookKey(secret string) (webhookKey, error) {
	malformed := func(how string) (webhookKey, error) {
		return webhookKey{}, &WebhookError{WebhookSecretMalformed, "The webhook secret " + how}
	}
	prefix, encoded, _ := strings.Cut(secret, "_")
	bytes, err := fromBase64(encoded)
	switch {
	case secret == "":
		return malformed("is empty. Is the variable set?")
	case strings.TrimSpace(secret) != secret:
		return malformed("has whitespace around it. Trim it.")
	case apiKeyPattern.MatchString(secret):
		return malformed("is an API key. Use the secret (whsec_…) that came with the endpoint.")
	case prefix == "we":
		return malformed("is an endpoint id. Use the secret (whsec_…) that came with it.")
	case prefix != "whsec" && prefix != "whpk":
		return malformed("must start with whsec_ (or whpk_, for the public key).")
	case err != nil, prefix == "whpk" && len(bytes) != ed25519.PublicKeySize, len(bytes) < 16:
		return malformed(fmt.Sprintf("is incomplete or changed: the part after %s_ is not a valid key.", prefix))
	case prefix == "whpk":
		return webhookKey{"v1a", func(content, signature []byte) bool {
			return ed25519.Verify(bytes, content, signature)
		}}, nil
	}
	return webhookKey{"v1", func(content, signature []byte) bool {
		mac := hmac.New(sha256.New, bytes)
		mac.Write(content)
		return hmac.Equal(mac.Sum(nil), signature)
	}}, nil
}

// With or without padding.
func fromBase64(text string) ([]byte, error) {
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
}
