// Takes money through a service: test/sdks/README.md says how.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	manilla "github.com/manilla-dev/manilla-go"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	client, err := manilla.New(os.Getenv("MANILLA_KEY"), os.Getenv("MANILLA_URL"))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	url := "http://" + listener.Addr().String()
	endpoint, err := client.WebhookEndpoints.Create(ctx, &manilla.CreateWebhookEndpointInput{URL: url})
	if err != nil {
		return err
	}
	events := make(chan *manilla.WebhookEvent, 1000)
	server := &http.Server{Handler: receive(endpoint.Secret, events)}
	go func() { _ = server.Serve(listener) }()
	defer func() {
		if failure := client.WebhookEndpoints.Delete(ctx, endpoint.ID); err == nil {
			err = failure
		}
		_ = server.Close()
	}()
	journey := &journey{client: client, name: "journey-" + os.Getenv("JOURNEY"), events: events, began: time.Now()}
	journey.report("listen", url)
	return journey.travel(ctx)
}

func receive(secret string, events chan<- *manilla.WebhookEvent) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err == nil {
			var event *manilla.WebhookEvent
			if event, err = manilla.VerifyWebhook(body, request.Header, secret); err == nil {
				events <- event
				return
			}
		}
		http.Error(writer, err.Error(), http.StatusBadRequest)
	}
}

type journey struct {
	client *manilla.Client
	name   string
	events <-chan *manilla.WebhookEvent
	began  time.Time
}

func (j *journey) report(step, detail string) {
	line := fmt.Sprintf("%s %d ms %s", step, time.Since(j.began).Milliseconds(), detail)
	fmt.Println(strings.TrimSpace(line))
	j.began = time.Now()
}

func (j *journey) travel(ctx context.Context) error {
	account, err := j.collect(ctx)
	if err != nil {
		return err
	}
	if err := j.refund(ctx, account); err != nil {
		return err
	}
	if err := j.payOut(ctx); err != nil {
		return err
	}
	if err := j.payBatch(ctx); err != nil {
		return err
	}
	if err := j.convert(ctx); err != nil {
		return err
	}
	return j.list(ctx)
}

func (j *journey) collect(ctx context.Context) (*manilla.VirtualAccount, error) {
	account, err := j.client.VirtualAccounts.Create(ctx, &manilla.CreateVirtualAccountInput{
		MerchantReference: j.name,
		Amount:            500_000,
	})
	if err != nil {
		return nil, err
	}
	j.report("account", account.Reference)
	_, err = j.client.Test.BankTransfers.Create(ctx, &manilla.PayTestAccountInput{
		AccountNumber: account.AccountNumber,
		Amount:        account.Amount,
	})
	if err != nil {
		return nil, err
	}
	j.report("pay", "")
	late := time.After(20 * time.Second)
	for {
		select {
		case event := <-j.events:
			paid, ok := event.Data.(*manilla.VirtualAccount)
			if ok && event.Type == manilla.EventVirtualAccountPaid && paid.Reference == account.Reference {
				j.report("webhook", event.ID)
				return account, nil
			}
		case <-late:
			return nil, errors.New("no webhook within 20 seconds")
		}
	}
}

func (j *journey) refund(ctx context.Context, account *manilla.VirtualAccount) error {
	payments := j.client.Payments.List(&manilla.ListPaymentsQuery{AccountReference: &account.Reference})
	if !payments.Next(ctx) {
		return fmt.Errorf("no payment: %v", payments.Err())
	}
	payment := payments.Item().Reference
	_, err := j.client.Payments.Refund(ctx, payment, &manilla.RefundPaymentInput{
		Amount: manilla.Ptr(manilla.Kobo(200_000)),
	})
	if err != nil {
		return err
	}
	err = until("refund", func() (bool, error) {
		page, err := j.client.Payments.Returns(payment, nil).Page(ctx)
		if err != nil {
			return false, err
		}
		for _, refund := range page.Items {
			if refund.Status == manilla.PaymentReturnStatusSent || refund.Status == manilla.PaymentReturnStatusReturned {
				return true, nil
			}
		}
		return false, nil
	})
	if err == nil {
		j.report("refund", payment)
	}
	return err
}

func (j *journey) payOut(ctx context.Context) error {
	payout, err := j.client.BankTransfers.Create(ctx, &manilla.CreateBankTransferInput{
		Amount:            250_000,
		BankCode:          manilla.Ptr("058"),
		AccountNumber:     manilla.Ptr("0123456789"),
		MerchantReference: manilla.Ptr(j.name + "-payout"),
	})
	if err != nil {
		return err
	}
	err = until("completed payout", func() (bool, error) {
		payout, err := j.client.BankTransfers.Get(ctx, payout.Reference)
		return err == nil && payout.Status == manilla.BankTransferStatusCompleted, err
	})
	if err == nil {
		j.report("payout", payout.Reference)
	}
	return err
}

func (j *journey) payBatch(ctx context.Context) error {
	item := func(bank, account, name string) manilla.CreatePayoutBatchInputItem {
		return manilla.CreatePayoutBatchInputItem{
			Amount:            manilla.Kobo(100_000),
			BankCode:          &bank,
			AccountNumber:     &account,
			MerchantReference: manilla.Ptr(j.name + "-" + name),
		}
	}
	batch, err := j.client.Batches.Create(ctx, &manilla.CreatePayoutBatchInput{
		Kind: manilla.PayoutKindBankTransfer,
		Items: []manilla.CreatePayoutBatchInputItem{
			item("058", "0123456789", "salary-1"),
			item("044", "0123456797", "salary-2"),
		},
	})
	if err != nil {
		return err
	}
	waitFor := func(status manilla.PayoutBatchStatus) error {
		return until(string(status)+" batch", func() (bool, error) {
			batch, err := j.client.Batches.Get(ctx, batch.Reference)
			return err == nil && batch.Status == status, err
		})
	}
	if err := waitFor(manilla.PayoutBatchStatusReady); err != nil {
		return err
	}
	if _, err := j.client.Batches.Submit(ctx, batch.Reference, nil); err != nil {
		return err
	}
	if err := waitFor(manilla.PayoutBatchStatusCompleted); err != nil {
		return err
	}
	j.report("batch", batch.Reference)
	return nil
}

func (j *journey) convert(ctx context.Context) error {
	quote, err := j.client.Conversions.Quote(ctx, &manilla.CreateConversionQuoteInput{
		From:   manilla.AssetNGN,
		To:     manilla.AssetUSDC,
		Amount: manilla.Ptr(manilla.Kobo(1_000_000)),
	})
	if err != nil {
		return err
	}
	conversion, err := j.client.Conversions.Create(ctx, &manilla.CreateConversionInput{Quote: quote.Reference})
	if err != nil {
		return err
	}
	j.report("conversion", conversion.Reference)
	return nil
}

func (j *journey) list(ctx context.Context) error {
	transfers := j.client.BankTransfers.List(&manilla.ListBankTransfersQuery{Limit: manilla.Int(2)})
	found := 0
	for transfers.Next(ctx) {
		reference := transfers.Item().MerchantReference
		if reference != nil && strings.HasPrefix(*reference, j.name+"-") {
			found++
		}
	}
	if err := transfers.Err(); err != nil {
		return err
	}
	if found != 3 {
		return fmt.Errorf("there are %d payouts, not 3", found)
	}
	j.report("list", fmt.Sprint(found))
	return nil
}

// until polls every 100 ms, for at most 20 seconds.
func until(what string, find func() (bool, error)) error {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if found, err := find(); found || err != nil {
			return err
		}
	}
	return fmt.Errorf("no %s within 20 seconds", what)
}
