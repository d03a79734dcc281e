// Package manillatest signs webhooks for tests of your webhook handler:
//
//	signer := manillatest.NewSigner()
//	handler := NewHandler(signer.Secret)
//	handler.ServeHTTP(recorder, signer.Request("/webhooks", &manilla.WebhookEvent{
//		Type: manilla.EventVirtualAccountPaid,
//		Data: &manilla.VirtualAccount{MerchantReference: "order-1001"},
//	}))
package manillatest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	manilla "github.com/manilla-dev/manilla-go"
)

// Signer signs webhooks as the service does for one endpoint.
type Signer struct {
	// Secret verifies v1 signatures: whsec_….
	Secret string
	// PublicKey verifies v1a signatures: whpk_…. Empty if the Signer was made from a secret.
	PublicKey string

	key        []byte
	privateKey ed25519.PrivateKey
}

// NewSigner makes new keys.
func NewSigner() *Signer {
	key := randomBytes(32)
	publicKey, privateKey, err := ed25519.GenerateKey(nil)
	if err != nil {
		panic(err)
	}
	return &Signer{
		Secret:     "whsec_" + base64.StdEncoding.EncodeToString(key),
		PublicKey:  "whpk_" + base64.StdEncoding.EncodeToString(publicKey),
		key:        key,
		privateKey: privateKey,
	}
}

// SignerOf signs with the secret that your handler has already, whsec_….
func SignerOf(secret string) (*Signer, error) {
	malformed := func(how string) (*Signer, error) {
		return nil, &manilla.WebhookError{Problem: manilla.WebhookSecretMalformed, Message: "The webhook secret " + how}
	}
	if strings.HasPrefix(secret, "whpk_") {
		return malformed("is a public key, which cannot sign. Use the secret (whsec_…) of the endpoint.")
	}
	encoded := strings.TrimPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if encoded == secret || err != nil {
		return malformed("must be whsec_ and base64.")
	}
	return &Signer{Secret: secret, key: key}, nil
}

// Header returns the headers of a webhook with this body, sent at this time. An empty id is that of the
// body.
func (s *Signer) Header(id string, sentAt time.Time, body []byte) http.Header {
	if id == "" {
		var event manilla.WebhookEvent
		_ = json.Unmarshal(body, &event)
		id = event.ID
	}
	timestamp := fmt.Sprint(sentAt.Unix())
	content := append([]byte(id+"."+timestamp+"."), body...)
	mac := hmac.New(sha256.New, s.key)
	mac.Write(content)
	signatures := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	if s.privateKey != nil {
		signatures += " v1a," + base64.StdEncoding.EncodeToString(ed25519.Sign(s.privateKey, content))
	}
	header := http.Header{}
	header.Set("Webhook-Id", id)
	header.Set("Webhook-Timestamp", timestamp)
	header.Set("Webhook-Signature", signatures)
	return header
}

// Request returns the request that delivers the event now. An empty ID, Timestamp or Mode is filled in.
func (s *Signer) Request(target string, event *manilla.WebhookEvent) *http.Request {
	sent := *event
	now := time.Now()
	if sent.ID == "" {
		sent.ID = "evt_" + hex.EncodeToString(randomBytes(12))
	}
	if sent.Timestamp == "" {
		sent.Timestamp = now.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	if sent.Mode == "" {
		sent.Mode = manilla.ModeTest
	}
	body, err := json.Marshal(sent)
	if err != nil {
		panic(err)
	}
	request := httptest.NewRequest(http.MethodPost, target, bytes.NewReader(body))
	request.Header = s.Header(sent.ID, now, body)
	request.Header.Set("Content-Type", "application/json")
	return request
}

func randomBytes(count int) []byte {
	bytes := make([]byte, count)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return bytes
}
