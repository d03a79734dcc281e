package manilla

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// Ptr returns a pointer to a value, for optional fields: manilla.Ptr("order-1001").
func Ptr[T any](value T) *T { return &value }

// Int returns a pointer to an integer, for optional fields: manilla.Int(20).
func Int(value int64) *int64 { return &value }

// Nullable is an optional field that can also be null. Its zero value is left out.
type Nullable[T any] struct {
	value T
	state nullableState
}

type nullableState byte

const (
	isNull nullableState = iota + 1
	isValue
)

// Value sets a field: manilla.Value("Rent").
func Value[T any](value T) Nullable[T] { return Nullable[T]{value: value, state: isValue} }

// Null clears a field: manilla.Null[string]().
func Null[T any]() Nullable[T] { return Nullable[T]{state: isNull} }

// Get returns the value, or false if the field is null or absent.
func (n Nullable[T]) Get() (T, bool) { return n.value, n.state == isValue }

// IsNull is false if the field is absent.
func (n Nullable[T]) IsNull() bool { return n.state == isNull }

// MarshalJSON implements json.Marshaler.
func (n Nullable[T]) MarshalJSON() ([]byte, error) {
	if n.state != isValue {
		return []byte("null"), nil
	}
	return json.Marshal(n.value)
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Nullable[T]) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		*n = Null[T]()
		return nil
	}
	n.state = isValue
	return json.Unmarshal(data, &n.value)
}

// Amount is an amount of money in one of several currencies: kobo for NGN, or a decimal number of
// coins for USDC and USDT. Amounts can be compared with ==.
type Amount struct {
	kobo  int64
	coins string
}

// Kobo is an amount in naira: Kobo(500_000) is ₦5,000.
func Kobo(kobo int64) Amount { return Amount{kobo: kobo} }

// Coins is an amount in USDC or USDT, such as Coins("25.50").
func Coins(decimal string) Amount { return Amount{coins: decimal} }

// Kobo returns the amount in kobo, or false if it is in coins.
func (a Amount) Kobo() (int64, bool) { return a.kobo, a.coins == "" }

// Coins returns the decimal number of coins, or false if the amount is in kobo.
func (a Amount) Coins() (string, bool) { return a.coins, a.coins != "" }

// String returns kobo or coins as the API does, such as 500000 or 25.50.
func (a Amount) String() string {
	if a.coins != "" {
		return a.coins
	}
	return strconv.FormatInt(a.kobo, 10)
}

// MarshalJSON implements json.Marshaler.
func (a Amount) MarshalJSON() ([]byte, error) {
	if a.coins != "" {
		return json.Marshal(a.coins)
	}
	return []byte(a.String()), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *Amount) UnmarshalJSON(data []byte) error {
	*a = Amount{}
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &a.coins)
	}
	return json.Unmarshal(data, &a.kobo)
}

// Count is a number that is exact up to a limit, such as 17 or 1000+.
type Count string

// MarshalJSON implements json.Marshaler.
func (c Count) MarshalJSON() ([]byte, error) {
	if _, err := strconv.ParseInt(string(c), 10, 64); err == nil {
		return []byte(c), nil
	}
	return json.Marshal(string(c))
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Count) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, (*string)(c))
	}
	*c = Count(data)
	return nil
}

// Object is any JSON object. Its numbers are read as json.Number, so that none is rounded.
type Object map[string]any

// UnmarshalJSON implements json.Unmarshaler.
func (o *Object) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode((*map[string]any)(o))
}

// UnmarshalJSON implements json.Unmarshaler. Data becomes a pointer to the model of the type.
func (e *WebhookEvent) UnmarshalJSON(data []byte) error {
	if err := unmarshalModel(data, e); err != nil {
		return err
	}
	raw, ok := e.Data.(json.RawMessage)
	model := newEventData(e.Type)
	if !ok || model == nil {
		return nil
	}
	if err := json.Unmarshal(raw, model); err != nil {
		return fmt.Errorf("manilla: the data of a %s does not fit this version of the SDK: %w", e.Type, err)
	}
	e.Data, e.RawData = model, raw
	return nil
}
