package manilla_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	manilla "github.com/manilla-dev/manilla-go"
)

func decode(t *testing.T, text []byte) any {
	t.Helper()
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return value
}

func same(t *testing.T, what string, got any, want []byte) {
	t.Helper()
	text, err := json.Marshal(got)
	assert(t, err == nil && reflect.DeepEqual(decode(t, text), decode(t, want)), "%s: %v\n got %s\nwant %s", what, err, text, want)
}

func TestAnswersKeepWhatIsUnknown(t *testing.T) {
	answer := `{"reference":"pay_1","amount":9007199254740993,"status":"NEW_STATUS","fee":"0.5","checkoutSession":null,
		"newField":{"deep":[1e3]},"refund":{"reference":"rf_1","amount":5,"newer":true,"reason":null,"note":null},"sender":{"name":"Ada"}}`
	payment, err := serve(t, data(answer)).Payments.Get(ctx, "pay_1")
	if err != nil {
		t.Fatal(err)
	}
	kobo, ok := payment.Amount.Kobo()
	assert(t, ok && kobo == 9007199254740993, "%v", payment.Amount)
	assert(t, payment.Status == "NEW_STATUS", "%+v", payment)
	assert(t, payment.Fee == manilla.Coins("0.5") && string(payment.Extra.Unknown["newField"]) == `{"deep":[1e3]}`, "%+v", payment)
	same(t, "payment", payment, []byte(answer))

	account, err := serve(t, data(`{"metadata":{"big":9007199254740995}}`)).VirtualAccounts.Get(ctx, "va_1")
	assert(t, err == nil && fmt.Sprint(account.Metadata["big"]) == "9007199254740995", "%v %v", account, err)

	events := serve(t, data(`{"items":[{"id":"evt_1","type":"moon.landed","data":{"on":1969}}],"nextCursor":null}`)).Events.List(nil)
	assert(t, events.Next(ctx) && string(events.Item().Data.(json.RawMessage)) == `{"on":1969}`, "%v %v", events.Item(), events.Err())
}

func TestInputsSayExactlyWhatIsMeant(t *testing.T) {
	for want, input := range map[string]any{
		`{}`:                manilla.ChangeRecipientInput{},
		`{"label":null}`:    manilla.ChangeRecipientInput{Label: manilla.Null[string]()},
		`{"label":""}`:      manilla.ChangeRecipientInput{Label: manilla.Value("")},
		`{"metadata":{}}`:   manilla.ChangeRecipientInput{Metadata: manilla.Object{}},
		`{"events":[]}`:     manilla.ChangeWebhookEndpointInput{Events: []manilla.EventFilter{}},
		`{"enabled":false}`: manilla.ChangeWebhookEndpointInput{Enabled: manilla.Ptr(false)},
		`{"future":[1]}`:    manilla.ChangeRecipientInput{Extra: manilla.Extra{Unknown: map[string]json.RawMessage{"future": []byte("[1]")}}},
		`{"asset":"NGN","amount":500000}`: manilla.FundTestBalanceInput{
			Asset: manilla.AssetNGN, Amount: manilla.Kobo(500_000)},
		`{"asset":"USDC","amount":"25.50"}`: manilla.FundTestBalanceInput{
			Asset: manilla.AssetUSDC, Amount: manilla.Coins("25.50")},
	} {
		same(t, "input", input, []byte(want))
	}
}

func TestAnAnswerOfAnotherShapeIsAnError(t *testing.T) {
	_, err := serve(t, data(`{"reference":5}`)).Payments.Get(ctx, "pay_1")
	assert(t, err != nil && strings.Contains(err.Error(), "does not fit"), "%v", err)
	_, err = serve(t, text(http.StatusOK, "<html>")).Payments.Get(ctx, "pay_1")
	assert(t, err != nil && strings.Contains(err.Error(), "unexpected_answer"), "%v", err)
}
