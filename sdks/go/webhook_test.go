package manilla_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	manilla "github.com/manilla-dev/manilla-go"
	"github.com/manilla-dev/manilla-go/manillatest"
)

var sentAt = time.Unix(1_767_603_600, 0)

const event = `{"id":"evt_1","type":"payment.held","timestamp":"2026-01-05T09:00:00.000Z","mode":"test","sequence":1,"data":{"reference":"pay_1","narration":"Àṣẹ, ₦5,000 for <Ada> & co"}}`

func at(shift time.Duration) func() time.Time {
	return func() time.Time { return sentAt.Add(shift) }
}

func TestAGenuineWebhookIsBelieved(t *testing.T) {
	signer := manillatest.NewSigner()
	header := signer.Header("evt_1", sentAt, []byte(event))
	for _, secret := range []string{signer.Secret, signer.PublicKey} {
		found, err := manilla.WebhookVerifier{Secret: secret, Now: at(299 * time.Second)}.Verify([]byte(event), header)
		if err != nil {
			t.Fatal(err)
		}
		payment := found.Data.(*manilla.Payment)
		assert(t, found.Type == manilla.EventPaymentHeld && *payment.Narration == "Àṣẹ, ₦5,000 for <Ada> & co", "%+v", payment)
		same(t, "event", found, []byte(event))
	}
	header.Set("Webhook-Signature", "v1,bm9uZQ== v2,x "+header.Get("Webhook-Signature"))
	_, err := manilla.WebhookVerifier{Secret: signer.Secret, Now: at(0)}.Verify([]byte(event), header)
	assert(t, err == nil, "one valid signature among several: %v", err)
}

func TestTheErrorOfAWebhookNamesTheProblem(t *testing.T) {
	signer, other := manillatest.NewSigner(), manillatest.NewSigner()
	header := signer.Header("evt_1", sentAt, []byte(event))
	without := func(name string) http.Header {
		copied := header.Clone()
		copied.Del(name)
		return copied
	}
	var indented strings.Builder
	encoder := json.NewEncoder(&indented)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(json.RawMessage(event))
	latin1 := ""
	for _, letter := range []byte(event) {
		latin1 += string(rune(letter))
	}
	onlyV1a := header.Clone()
	onlyV1a.Set("Webhook-Signature", strings.Split(header.Get("Webhook-Signature"), " ")[1])
	signed := func(body string) (string, http.Header) { return body, signer.Header("evt_1", sentAt, []byte(body)) }
	notJSON, notJSONHeader := signed("Hello")

	for _, scenario := range []struct {
		name    string
		body    string
		header  http.Header
		secret  string
		now     time.Duration
		problem manilla.WebhookProblem
		message string
	}{
		{"whitespace", event + "\n", header, signer.Secret, 0, manilla.WebhookBodyChanged, "whitespace"},
		{"serialized again", indented.String(), header, signer.Secret, 0, manilla.WebhookBodyChanged, "serialized again"},
		{"Latin-1", latin1, header, signer.Secret, 0, manilla.WebhookBodyChanged, "Latin-1"},
		{"cut", event[:50], header, signer.Secret, 0, manilla.WebhookBodyChanged, "not complete"},
		{"empty", "", header, signer.Secret, 0, manilla.WebhookBodyChanged, "empty"},
		{"another event", strings.Replace(event, "evt_1", "evt_2", 1), header, signer.Secret, 0, manilla.WebhookBodyChanged, "another event"},
		{"not JSON", notJSON, notJSONHeader, signer.Secret, 0, manilla.WebhookBodyChanged, "not JSON"},
		{"no id", event, without("Webhook-Id"), signer.Secret, 0, manilla.WebhookHeadersMissing, "no webhook-id."},
		{"no headers", event, http.Header{}, signer.Secret, 0, manilla.WebhookHeadersMissing, "no webhook-id, no webhook-timestamp, no webhook-signature"},
		{"other secret", event, header, other.Secret, 0, manilla.WebhookSignatureMismatch, "another secret"},
		{"other public key", event, header, other.PublicKey, 0, manilla.WebhookSignatureMismatch, "another secret"},
		{"no v1", event, onlyV1a, signer.Secret, 0, manilla.WebhookSignatureMismatch, "no v1 signature"},
		{"old", event, header, signer.Secret, 301 * time.Second, manilla.WebhookTooOld, "301 s ago"},
		{"new", event, header, signer.Secret, -301 * time.Second, manilla.WebhookTooNew, "301 s ahead"},
		{"no secret", event, header, "", 0, manilla.WebhookSecretMalformed, "empty"},
		{"line break", event, header, signer.Secret + "\n", 0, manilla.WebhookSecretMalformed, "whitespace"},
		{"API key", event, header, key, 0, manilla.WebhookSecretMalformed, "API key"},
		{"endpoint id", event, header, "we_123", 0, manilla.WebhookSecretMalformed, "endpoint id"},
		{"other text", event, header, "hello", 0, manilla.WebhookSecretMalformed, "must start"},
		{"cut secret", event, header, signer.Secret[:20], 0, manilla.WebhookSecretMalformed, "incomplete"},
		{"cut public key", event, header, signer.PublicKey[:40], 0, manilla.WebhookSecretMalformed, "incomplete"},
	} {
		_, err := manilla.WebhookVerifier{Secret: scenario.secret, Now: at(scenario.now)}.Verify([]byte(scenario.body), scenario.header)
		var problem *manilla.WebhookError
		assert(t, errors.As(err, &problem) && problem.Problem == scenario.problem && strings.Contains(problem.Message, scenario.message),
			"%s: %v", scenario.name, err)
	}
}

func TestTheSignerTestsAHandler(t *testing.T) {
	signer := manillatest.NewSigner()
	shipped := ""
	handler := http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		event, err := manilla.VerifyWebhook(body, request.Header, signer.Secret)
		if err != nil {
			http.Error(writer, err.Error(), http.StatusBadRequest)
			return
		}
		if account, ok := event.Data.(*manilla.VirtualAccount); ok && event.Type == manilla.EventVirtualAccountPaid {
			shipped = account.MerchantReference
		}
	})
	request := signer.Request("/webhooks", &manilla.WebhookEvent{
		Type: manilla.EventVirtualAccountPaid,
		Data: &manilla.VirtualAccount{MerchantReference: "order-1001"},
	})
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	assert(t, recorder.Code == 200 && shipped == "order-1001", "%d %s %s", recorder.Code, recorder.Body, shipped)

	same, err := manillatest.SignerOf(signer.Secret)
	if err != nil {
		t.Fatal(err)
	}
	_, err = manilla.VerifyWebhook([]byte(event), same.Header("evt_1", time.Now(), []byte(event)), signer.Secret)
	assert(t, err == nil, "%v", err)
	_, err = manillatest.SignerOf("sk_test_1")
	assert(t, err != nil, "an API key signs")
}
