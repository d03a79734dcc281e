package manilla_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	manilla "github.com/manilla-dev/manilla-go"
	"github.com/manilla-dev/manilla-go/internal/dispatch"
)

type document struct {
	Paths    map[string]map[string]operation `json:"paths"`
	Webhooks map[string]struct {
		Post operation `json:"post"`
	} `json:"webhooks"`
}

type operation struct {
	RequestBody struct {
		Content map[string]example `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]example `json:"content"`
	} `json:"responses"`
}

type example struct {
	Example json.RawMessage `json:"example"`
}

func readDocument(t *testing.T) document {
	t.Helper()
	text, err := os.ReadFile("../../openapi.json")
	if os.IsNotExist(err) {
		t.Skip("needs openapi.json of the repository")
	}
	var read document
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read
}

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

// Each method sends and reads the examples of its operation, and loses nothing.
func TestEveryOperationReadsItsExample(t *testing.T) {
	document := readDocument(t)
	client := reflect.ValueOf(serve(t, data(`{}`)).Client)
	count := 0
	for _, name := range methodsBelow(client, "") {
		address := strings.Split(name, ".")
		request := dispatch.Request{Resource: strings.Join(address[:len(address)-1], "."), Operation: address[len(address)-1], Path: map[string]string{"any": "x"}}
		probe := serve(t, data(`{}`))
		run(probe, request)
		seen := probe.requests()[0]
		operation := findOperation(t, document, seen.method, seen.path)
		if body := operation.RequestBody.Content["application/json"].Example; body != nil && !strings.HasSuffix(name, "CSV") {
			request.Body = body
		}
		for _, answer := range operation.Responses {
			content := answer.Content["application/json"].Example
			var envelope struct {
				Status bool            `json:"status"`
				Data   json.RawMessage `json:"data"`
			}
			if json.Unmarshal(content, &envelope) != nil || !envelope.Status || seen.header.Get("Accept") != "application/json" {
				continue
			}
			service := serve(t, text(200, string(content)))
			value, err := run(service, request)
			assert(t, err == nil, "%s: %v", name, err)
			// An operation that takes no input sends no body.
			if sent := service.requests()[0].body; request.Body != nil && sent != string(request.Body) && (sent != "" || len(request.Body) > 2) {
				same(t, name+" sends", json.RawMessage(sent), request.Body)
			}
			compareAnswer(t, name, value, envelope.Data)
			count++
		}
	}
	assert(t, count > 100, "%d examples", count)
}

func run(service *service, request dispatch.Request) (any, error) {
	value, err := dispatch.Call(ctx, service.Client, request, nil)
	if page := reflect.ValueOf(value); err == nil && value != nil && page.MethodByName("Page").IsValid() {
		results := page.MethodByName("Page").Call([]reflect.Value{reflect.ValueOf(ctx)})
		err, _ = results[1].Interface().(error)
		return results[0].Interface(), err
	}
	return value, err
}

func compareAnswer(t *testing.T, name string, value any, want []byte) {
	t.Helper()
	switch {
	case value == nil:
		// Deletions return nothing.
	case reflect.TypeOf(value).Kind() == reflect.Slice:
		var page struct {
			Items json.RawMessage `json:"items"`
		}
		_ = json.Unmarshal(want, &page)
		same(t, name, value, page.Items)
	default:
		same(t, name, value, want)
	}
}

func methodsBelow(resource reflect.Value, prefix string) []string {
	var names []string
	for index := 0; prefix != "" && index < resource.NumMethod(); index++ {
		if name := resource.Type().Method(index).Name; name != "CreateCSV" {
			names = append(names, prefix+name)
		}
	}
	for index := 0; index < resource.Elem().NumField(); index++ {
		if field := resource.Elem().Type().Field(index); field.IsExported() {
			names = append(names, methodsBelow(resource.Elem().Field(index), prefix+field.Name+".")...)
		}
	}
	return names
}

func findOperation(t *testing.T, document document, method, path string) operation {
	t.Helper()
	for template, operations := range document.Paths {
		start, end := strings.Index(template, "{"), strings.Index(template, "}")
		if start >= 0 {
			template = template[:start] + "x" + template[end+1:]
		}
		if found, ok := operations[strings.ToLower(method)]; ok && template == path {
			return found
		}
	}
	t.Fatalf("openapi.json has no %s %s", method, path)
	return operation{}
}

func TestEveryEventReadsItsExample(t *testing.T) {
	for name, webhook := range readDocument(t).Webhooks {
		example := webhook.Post.RequestBody.Content["application/json"].Example
		var event manilla.WebhookEvent
		err := json.Unmarshal(example, &event)
		assert(t, err == nil && string(event.Type) == name, "%s: %v", name, err)
		assert(t, reflect.TypeOf(event.Data).Kind() == reflect.Pointer, "%s has a %T", name, event.Data)
		same(t, name, event, example)
	}
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
