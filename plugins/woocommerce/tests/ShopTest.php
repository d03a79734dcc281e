<?php

declare(strict_types=1);

namespace Manilla\WooCommerce\Tests;

use Manilla\Internal\Retries;
use Manilla\Model\CheckoutSession;
use Manilla\Testing\SignedWebhook;
use Manilla\WooCommerce\Account;
use Manilla\WooCommerce\BlocksSupport;
use Manilla\WooCommerce\Gateway;
use Manilla\WooCommerce\Kobo;
use Manilla\WooCommerce\Orders;
use Manilla\WooCommerce\Poll;
use Manilla\WooCommerce\Sessions;
use PHPUnit\Framework\TestCase;
use Shop;
use WC_Order;
use WC_Order_Refund;
use WC_Payment_Gateway;
use WP_REST_Request;
use WP_REST_Response;

final class ShopTest extends TestCase
{
    private const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
    private Service $service;

    protected function setUp(): void
    {
        Shop::reset();
        Shop::$options['woocommerce_manilla_settings'] = [
            'enabled' => 'yes',
            'url' => 'https://pay.example.com',
            'testmode' => 'yes',
            'test_key' => 'sk_test_abc',
            'test_webhook_secret' => self::SECRET,
            'live_key' => '',
            'live_webhook_secret' => '',
        ];
        Retries::$firstWaitMs = 0;
        Account::$transport = $this->service = new Service();
    }

    // Amounts

    /** @dataProvider amounts */
    public function testConvertsToKoboExactly(string $naira, int $kobo): void
    {
        self::assertSame($kobo, Kobo::of($naira));
    }

    /** @return list<array{string, int}> */
    public function amounts(): array
    {
        return [
            ['1250.50', 125_050], ['1250.5', 125_050], ['1250', 125_000], ['0.01', 1], ['0', 0], ['19.99', 1_999],
            ['1.10', 110], ['1.', 100], ['12.340000', 1_234], [' 5 ', 500], ['9999999999999.99', 999_999_999_999_999],
        ];
    }

    /**
     * @testWith [""]
     *           ["-5"]
     *           ["1,250.50"]
     *           ["12.345"]
     *           ["1e3"]
     *           ["abc"]
     *           ["12345678901234"]
     *           ["5 NGN"]
     */
    public function testRefusesWhatIsNoAmount(string $naira): void
    {
        $this->expectException(\InvalidArgumentException::class);
        Kobo::of($naira);
    }

    public function testPrintsAmounts(): void
    {
        self::assertSame(['₦1,250.05', '₦0.10'], [Kobo::print(125_005), Kobo::print(10)]);
    }

    // Starting a payment

    public function testLeadsToThePageOfManilla(): void
    {
        $order = new WC_Order(7, '1250.50');
        $result = (new Gateway())->process_payment(7);
        self::assertSame(['result' => 'success', 'redirect' => 'https://pay.example.com/checkout/cs_1'], $result);
        $session = $this->service->sessions['cs_1'];
        self::assertSame(125_050, $session['amount']);
        self::assertSame(['name' => 'Ada Obi', 'email' => 'ada@example.com'], $session['customer']);
        self::assertSame(['Order 7 at Ada Stores', '7'], [$session['description'], $session['merchantReference']]);
        self::assertSame($order->get_checkout_order_received_url(), $session['successUrl']);
        self::assertSame(['woocommerceOrder' => 7, 'shop' => 'https://shop.example/store'], $session['metadata']);
        self::assertSame(['Payment of ₦1,250.50 started: cs_1'], $order->notes);
    }

    public function testADoubleClickIsOneSession(): void
    {
        new WC_Order(7, '100');
        $this->service->troubles = [0];
        (new Gateway())->process_payment(7);
        (new Gateway())->process_payment(7);
        self::assertCount(1, $this->service->sessions);
    }

    public function testAChangedOrderGetsANewSession(): void
    {
        $order = new WC_Order(7, '100');
        (new Gateway())->process_payment(7);
        $order->total = '90';
        self::assertSame('https://pay.example.com/checkout/cs_2', (new Gateway())->process_payment(7)['redirect']);
        self::assertSame(['cancelled', 'pending'], array_column($this->service->sessions, 'status'));
        self::assertSame(9_000, $this->service->sessions['cs_2']['amount']);
    }

    public function testAnEndedSessionIsReplaced(): void
    {
        new WC_Order(7, '100');
        (new Gateway())->process_payment(7);
        $this->service->sessions['cs_1']['status'] = 'expired';
        self::assertSame('https://pay.example.com/checkout/cs_2', (new Gateway())->process_payment(7)['redirect']);
        unset($this->service->sessions['cs_2']);
        // The key of another merchant does not know it.
        self::assertSame('success', (new Gateway())->process_payment(7)['result']);
    }

    public function testACustomerWhoHasPaidIsNotAskedAgain(): void
    {
        $order = $this->openedOrder();
        $this->service->pay('cs_1', 'pay_1');
        $result = (new Gateway())->process_payment(7);
        self::assertSame($order->get_checkout_order_received_url(), $result['redirect']);
        self::assertSame('processing', $order->get_status());
        self::assertCount(1, $this->service->sessions);
    }

    public function testAPaymentThatCannotStartSaysSoAndLogsWhy(): void
    {
        $order = new WC_Order(7, '100');
        $this->service->troubles = [403];
        self::assertSame(['result' => 'failure'], (new Gateway())->process_payment(7));
        self::assertSame(['The payment could not be started. Please try again in a minute.'], Shop::$notices);
        self::assertSame(['Order 7: Refused with 403.'], Shop::$log);
        self::assertSame([], Sessions::allOf($order));
    }

    public function testTheDialogOpensOnAPageOfTheShop(): void
    {
        Shop::$options['woocommerce_manilla_settings']['presentation'] = 'inline';
        $order = new WC_Order(7, '100');
        self::assertSame($order->get_checkout_payment_url(true), (new Gateway())->process_payment(7)['redirect']);
        ob_start();
        do_action('woocommerce_receipt_manilla', 7);
        $html = ob_get_clean();
        self::assertStringContainsString('<manilla-button session="https://pay.example.com/checkout/cs_1"', $html);
        self::assertStringContainsString('<noscript><a class="button" href="https://pay.example.com/checkout/cs_1">Pay ₦100.00', $html);
        self::assertSame('https://pay.example.com/inline.js', Shop::$scripts['manilla-inline']);
        self::assertStringEndsWith('/assets/pay.js', Shop::$scripts['manilla-pay']);
        self::assertFileExists(__DIR__ . '/../assets/pay.js');
    }

    public function testIsOfferedOnlyWhereItCanWork(): void
    {
        self::assertTrue((new Gateway())->is_available());
        Shop::$currency = 'USD';
        self::assertFalse((new Gateway())->is_available());
        Shop::$currency = 'NGN';
        Shop::$options['woocommerce_manilla_settings']['testmode'] = 'no';
        self::assertFalse((new Gateway())->is_available());
        self::assertTrue((new Gateway())->needs_setup());
        self::assertFalse((new BlocksSupport())->is_active());
    }

    public function testIsOfferedInTheCheckoutBlock(): void
    {
        $blocks = new BlocksSupport();
        $blocks->initialize();
        self::assertTrue($blocks->is_active());
        self::assertSame(['manilla-blocks'], $blocks->get_payment_method_script_handles());
        self::assertFileExists(__DIR__ . '/../assets/blocks.js');
        self::assertSame(['products', 'refunds'], $blocks->get_payment_method_data()['supports']);
    }

    // Webhooks

    public function testAcknowledgesFirstAndWorksLater(): void
    {
        $order = $this->openedOrder();
        $this->service->pay('cs_1', 'pay_1');
        $before = count($this->service->requests);
        self::assertSame(204, $this->deliver('checkout.session.paid', 'cs_1')->status);
        self::assertSame(['pending', $before], [$order->get_status(), count($this->service->requests)]);
        self::assertSame(1, Shop::work());
        self::assertSame(['processing', 'pay_1'], [$order->get_status(), $order->get_transaction_id()]);
        self::assertContains('₦1,250.50 paid with Manilla: cs_1', $order->notes);
    }

    public function testRepeatedAndLateEventsChangeNothing(): void
    {
        $order = $this->openedOrder();
        $this->service->pay('cs_1', 'pay_1');
        $this->deliver('checkout.session.paid', 'cs_1');
        $this->deliver('checkout.session.paid', 'cs_1');
        self::assertSame(1, Shop::work());
        $notes = $order->notes;
        foreach (['checkout.session.paid', 'checkout.session.expired', 'checkout.session.cancelled'] as $type) {
            $this->deliver($type, 'cs_1');
        }
        self::assertSame(3, Shop::work());
        self::assertSame([['pay_1'], $notes, 'processing'], [$order->completed, $order->notes, $order->get_status()]);
    }

    public function testAnEventOnlySaysWhereToLook(): void
    {
        $order = $this->openedOrder();
        $this->deliver('checkout.session.paid', 'cs_1');
        Shop::work();
        self::assertSame('pending', $order->get_status());
    }

    public function testAnExpiredSessionNeverTakesAPaymentBack(): void
    {
        $order = $this->openedOrder();
        $this->service->pay('cs_1', 'pay_1');
        Orders::refresh(7);
        foreach (['processing', 'completed', 'on-hold', 'refunded', 'cancelled'] as $status) {
            $order->update_status($status);
            foreach (['expired', 'cancelled'] as $end) {
                Orders::apply(7, $this->session('cs_1', ['status' => $end]));
                self::assertSame($status, $order->get_status());
            }
        }
    }

    public function testAnExpiredSessionFailsAPendingOrderWhichCanStillBePaid(): void
    {
        $order = $this->openedOrder();
        $this->service->sessions['cs_1']['status'] = 'expired';
        $this->deliver('checkout.session.expired', 'cs_1');
        Shop::work();
        self::assertSame('failed', $order->get_status());
        $this->service->pay('cs_1', 'pay_1');
        $this->deliver('checkout.session.paid', 'cs_1');
        Shop::work();
        self::assertSame('processing', $order->get_status());
    }

    public function testAReplacedSessionDoesNotFailTheOrder(): void
    {
        $order = $this->openedOrder();
        $order->total = '90';
        (new Gateway())->process_payment(7);
        Orders::apply(7, $this->session('cs_1', ['status' => 'cancelled']));
        self::assertSame('pending', $order->get_status());
    }

    public function testAnOrderThatHasBecomeDearerWaits(): void
    {
        $order = $this->openedOrder();
        $order->total = '1250.51';
        $this->service->pay('cs_1', 'pay_1');
        Orders::refresh(7);
        self::assertSame(['on-hold', 'pay_1'], [$order->get_status(), $order->get_transaction_id()]);
        self::assertStringContainsString('The order has changed: ₦1,250.51 are due.', end($order->notes));
    }

    public function testASecondPaymentIsNotedOnce(): void
    {
        $order = $this->openedOrder();
        $order->total = '90';
        (new Gateway())->process_payment(7);
        $this->service->pay('cs_2', 'pay_2');
        Orders::refresh(7);
        $this->service->pay('cs_1', 'pay_1');
        Orders::apply(7, $this->session('cs_1'));
        Orders::apply(7, $this->session('cs_1'));
        $twice = array_filter($order->notes, fn ($note) => str_starts_with($note, 'Paid again'));
        self::assertCount(1, $twice);
        self::assertSame('pay_2', $order->get_transaction_id());
    }

    public function testASessionOfAnotherShopIsIgnored(): void
    {
        $order = $this->openedOrder();
        $this->service->sessions['cs_9'] = ['reference' => 'cs_9', 'metadata' => ['woocommerceOrder' => 7], 'status' => 'paid'];
        $this->deliver('checkout.session.paid', 'cs_9');
        Shop::work();
        self::assertSame('pending', $order->get_status());
        $this->service->sessions['cs_8'] = ['reference' => 'cs_8', 'metadata' => [], 'status' => 'paid'];
        $this->deliver('checkout.session.paid', 'cs_8');
        self::assertSame(1, Shop::work());
    }

    public function testRefusesForgedEvents(): void
    {
        $this->openedOrder();
        $forged = SignedWebhook::make('checkout.session.paid', ['reference' => 'cs_1'], SignedWebhook::makeSecret());
        $response = $this->receive($forged->body, $forged->headers);
        self::assertSame([400, 'signature_mismatch'], [$response->status, $response->data['problem']]);
        self::assertSame(400, $this->receive('{}', [])->status);
        // The secret of test mode cannot sign events of live mode.
        $genuine = SignedWebhook::make('checkout.session.paid', ['reference' => 'cs_1'], self::SECRET);
        $live = SignedWebhook::sign(str_replace('"mode":"test"', '"mode":"live"', $genuine->body), self::SECRET);
        self::assertSame(400, $this->receive($live->body, $live->headers)->status);
        Shop::$options['woocommerce_manilla_settings']['test_webhook_secret'] = '';
        self::assertSame('secret_malformed', $this->receive($genuine->body, $genuine->headers)->data['problem']);
        self::assertSame([], Shop::$actions);
    }

    public function testAcknowledgesEventsThatItDoesNotNeed(): void
    {
        foreach (['payment.held', 'loan.granted', 'bank_transfer.completed'] as $type) {
            self::assertSame(204, $this->deliver($type, 'x_1')->status);
        }
        self::assertSame([], Shop::$actions);
    }

    public function testAsksForTheEventAgainIfItCannotBeStored(): void
    {
        Shop::$canQueue = false;
        self::assertSame(503, $this->deliver('checkout.session.paid', 'cs_1')->status);
    }

    public function testTriesAgainLaterAndThenLeavesItToThePoll(): void
    {
        $order = $this->openedOrder();
        $this->service->pay('cs_1', 'pay_1');
        $this->deliver('checkout.session.paid', 'cs_1');
        for ($try = 1; $try <= 5; $try++) {
            $this->service->troubles = [503, 503];
            self::assertSame(1, Shop::work());
        }
        self::assertSame([0, 'pending'], [Shop::work(), $order->get_status()]);
        Poll::run();
        self::assertSame('processing', $order->get_status());
    }

    public function testWaitsWhileAnotherProcessChangesTheOrder(): void
    {
        $order = $this->openedOrder();
        $this->service->pay('cs_1', 'pay_1');
        $this->deliver('checkout.session.paid', 'cs_1');
        Shop::$isLockedElsewhere = true;
        Shop::work();
        self::assertSame('pending', $order->get_status());
        Shop::$isLockedElsewhere = false;
        self::assertSame(1, Shop::work());
        self::assertSame(['processing', []], [$order->get_status(), Shop::$locks]);
    }

    public function testReadsTheOrderAgainAfterWaiting(): void
    {
        $order = $this->openedOrder();
        $old = clone $order;
        Shop::$remembered[7] = $old;
        $this->service->pay('cs_1', 'pay_1');
        // Another process was first.
        $order->payment_complete('pay_1');
        Orders::apply(7, $this->session('cs_1'));
        self::assertSame([[], ['pay_1']], [$old->completed, $order->completed]);
    }

    // Returning customer and poll

    public function testTheReturningCustomerSeesAPaidOrder(): void
    {
        $order = $this->openedOrder();
        $this->service->pay('cs_1', 'pay_1');
        do_action('woocommerce_thankyou_manilla', 7);
        self::assertSame('processing', $order->get_status());
        $before = count($this->service->requests);
        do_action('woocommerce_thankyou_manilla', 7);
        self::assertCount($before, $this->service->requests);
    }

    public function testPagesOfCustomersSurviveAWaitForAnotherProcess(): void
    {
        $order = $this->openedOrder();
        $this->service->pay('cs_1', 'pay_1');
        Shop::$isLockedElsewhere = true;
        do_action('woocommerce_thankyou_manilla', 7);
        self::assertSame(['failure', 'pending'], [(new Gateway())->process_payment(7)['result'], $order->get_status()]);
    }

    public function testTheReturningCustomerIsNotProofOfPayment(): void
    {
        $order = $this->openedOrder();
        do_action('woocommerce_thankyou_manilla', 7);
        self::assertSame('pending', $order->get_status());
        $this->service->troubles = [500, 500];
        do_action('woocommerce_thankyou_manilla', 7);
        self::assertSame(['Order 7: Refused with 500.'], Shop::$log);
    }

    public function testThePollReadsEverySessionOfUnpaidOrders(): void
    {
        $order = $this->openedOrder();
        $order->total = '90';
        (new Gateway())->process_payment(7);
        $order->total = '1250.50';
        // The customer paid on the page of the first session.
        $this->service->pay('cs_1', 'pay_1');
        Poll::run();
        self::assertSame(['processing', 'pay_1'], [$order->get_status(), $order->get_transaction_id()]);
        $before = count($this->service->requests);
        Poll::run();
        self::assertCount($before, $this->service->requests);
    }

    public function testThePollIsScheduledOnceAndStopsWithThePlugin(): void
    {
        do_action('admin_init');
        do_action('admin_init');
        self::assertCount(1, Shop::$actions);
        do_action('deactivate');
        self::assertSame([], Shop::$actions);
    }

    public function testOrdersKeepTheModeTheyWerePaidIn(): void
    {
        $order = $this->openedOrder();
        Shop::$options['woocommerce_manilla_settings']['testmode'] = 'no';
        Shop::$options['woocommerce_manilla_settings']['live_key'] = 'sk_live_abc';
        $this->service->pay('cs_1', 'pay_1');
        Poll::run();
        self::assertSame('processing', $order->get_status());
        $live = new WC_Order(8, '100');
        (new Gateway())->process_payment(8);
        self::assertSame('live', Sessions::modeOf($live));
    }

    // Refunds

    public function testRefundsFromTheOrder(): void
    {
        $order = $this->paidOrder();
        self::assertTrue((new Gateway())->can_refund_order($order));
        self::assertTrue($this->refund($order, '500.25', 'Wrong size'));
        self::assertSame([50_025, 'Wrong size'], [$this->service->refunds[0]['amount'], $this->service->refunds[0]['note']]);
        self::assertContains('Refund of ₦500.25 is on its way: pay_1', $order->notes);
        self::assertTrue($this->refund($order, 500.25));
        self::assertSame([50_025, 50_025], array_column($this->service->refunds, 'amount'));
    }

    public function testALostAnswerRefundsOnce(): void
    {
        $order = $this->paidOrder();
        $this->service->troubles = [0, 0];
        $error = $this->refund($order, '500');
        self::assertStringContainsString('No answer', $error->get_error_message());
        // WooCommerce has deleted its refund; the owner of the shop tries again.
        self::assertTrue($this->refund($order, '500'));
        self::assertCount(1, $this->service->refunds);
    }

    public function testARefusedRefundCanBeTriedAgain(): void
    {
        $order = $this->paidOrder();
        $this->service->troubles = [402];
        self::assertSame('Refused with 402. Do this.', $this->refund($order, '500')->get_error_message());
        $keyed = $order->get_meta('_manilla_refund_tries');
        self::assertTrue($this->refund($order, '500'));
        self::assertSame(['1', 1], [$keyed, count($this->service->refunds)]);
    }

    public function testRefusesToRefundWhatManillaDidNotReceive(): void
    {
        $order = new WC_Order(9, '100');
        self::assertFalse((new Gateway())->can_refund_order($order));
        self::assertSame('This order has no payment of Manilla.', $this->refund($order, '5')->get_error_message());
        $error = $this->refund($this->paidOrder(), '5.005');
        self::assertSame('5.005 is not an amount in naira and kobo.', $error->get_error_message());
    }

    public function testNotesWhatBecameOfRefundsOnce(): void
    {
        $order = $this->paidOrder();
        $this->refund($order, '500');
        $this->service->refunds[0]['status'] = 'RETURNED';
        $this->refund($order, '100');
        $this->service->refunds[1] = [...$this->service->refunds[1], 'status' => 'FAILED', 'failureReason' => 'account_closed'];
        foreach (['payment.refunded', 'payment.refund_failed'] as $type) {
            $this->deliver($type, 'pay_1');
            self::assertSame(1, Shop::work());
        }
        $notes = array_values(array_filter($order->notes, fn ($note) => str_contains($note, 'rf_')));
        self::assertSame('Refund of ₦500.00 reached the customer: rf_1', $notes[0]);
        self::assertStringContainsString('Refund of ₦100.00 failed (account_closed)', $notes[1]);
        self::assertCount(2, $notes);
        $this->deliver('payment.refunded', 'pay_unknown');
        self::assertSame(1, Shop::work());
    }

    // Settings

    public function testSavingAKeyConnectsTheWebhook(): void
    {
        $gateway = $this->save(['test_key' => ' sk_test_new ', 'url' => 'https://pay.example.com/']);
        self::assertSame([], $gateway->errors);
        $saved = Shop::$options['woocommerce_manilla_settings'];
        self::assertSame(['sk_test_new', 'https://pay.example.com'], [$saved['test_key'], $saved['url']]);
        self::assertStringStartsWith('whsec_', $saved['test_webhook_secret']);
        self::assertSame('https://shop.example/wp-json/manilla/v1/webhooks', $this->service->endpoints['we_1']['url']);
        self::assertArrayHasKey('manilla/v1/webhooks', $this->routes());
    }

    public function testALostSecretIsReplacedWithItsEndpoint(): void
    {
        $this->service->endpoints['we_0'] = ['id' => 'we_0', 'url' => 'https://elsewhere.example/webhooks'];
        $this->save(['test_key' => 'sk_test_new', 'url' => 'https://pay.example.com']);
        $this->save(['test_key' => 'sk_test_new', 'url' => 'https://pay.example.com']);
        self::assertSame(['we_0', 'we_2'], array_keys($this->service->endpoints));
    }

    public function testAWebhookThatCannotBeConnectedIsSaidAndTriedAgain(): void
    {
        $this->service->troubles = [400];
        $gateway = $this->save(['test_key' => 'sk_test_new', 'url' => 'https://pay.example.com']);
        self::assertStringContainsString('orders are updated every five minutes. Refused with 400. Do this.', $gateway->errors[0]);
        self::assertSame('', Shop::$options['woocommerce_manilla_settings']['test_webhook_secret']);
        $this->save(['test_key' => 'sk_test_new', 'url' => 'https://pay.example.com']);
        self::assertCount(1, $this->service->endpoints);
    }

    /** @dataProvider badSettings */
    public function testKeepsTheOldValueOfASettingThatIsWrong(string $name, string $value, string $message): void
    {
        $before = Shop::$options['woocommerce_manilla_settings'][$name];
        $gateway = $this->save([...Shop::$options['woocommerce_manilla_settings'], $name => $value]);
        self::assertStringContainsString($message, $gateway->errors[0]);
        self::assertSame($before, Shop::$options['woocommerce_manilla_settings'][$name]);
    }

    /** @return list<array{string, string, string}> */
    public function badSettings(): array
    {
        return [
            ['url', 'pay.example.com', 'must look like https://pay.example.com'],
            ['url', 'http://pay.example.com', 'must look like https://pay.example.com'],
            ['url', 'https://pay.example.com/v1', 'must look like https://pay.example.com'],
            ['test_key', 'sk_live_abc', 'The secret key (test) must start with sk_test_'],
            ['test_key', 'pk_test_abc', 'The secret key (test) must start with sk_test_'],
            ['live_key', 'sk_test_abc', 'The secret key (live) must start with sk_live_'],
            ['test_webhook_secret', 'sk_test_abc', 'must start with whsec_'],
        ];
    }

    private function openedOrder(): WC_Order
    {
        $order = new WC_Order(7, '1250.50');
        (new Gateway())->process_payment(7);
        return $order;
    }

    private function paidOrder(): WC_Order
    {
        $order = $this->openedOrder();
        $this->service->pay('cs_1', 'pay_1');
        Orders::refresh(7);
        return $order;
    }

    /** As WooCommerce does: the refund exists while it is paid, and is deleted if that fails. */
    private function refund(WC_Order $order, string|float $amount, string $reason = ''): mixed
    {
        $order->refunds[] = new WC_Order_Refund((string) $amount);
        $result = (new Gateway())->process_refund($order->get_id(), $amount, $reason);
        if ($result !== true) {
            array_pop($order->refunds);
        }
        return $result;
    }

    private function session(string $reference, array $changes = []): CheckoutSession
    {
        return new CheckoutSession(json_decode(json_encode([...$this->service->sessions[$reference], ...$changes])));
    }

    private function deliver(string $type, string $reference): WP_REST_Response
    {
        $webhook = SignedWebhook::make($type, ['reference' => $reference], self::SECRET);
        return $this->receive($webhook->body, $webhook->headers);
    }

    private function receive(string $body, array $headers): WP_REST_Response
    {
        return $this->routes()['manilla/v1/webhooks']['callback'](new WP_REST_Request($body, $headers));
    }

    private function routes(): array
    {
        do_action('rest_api_init');
        return Shop::$routes;
    }

    private function save(array $settings): Gateway
    {
        if (!isset($settings['enabled'])) {
            Shop::$options = [];
        }
        WC_Payment_Gateway::$posted = $settings;
        $gateway = new Gateway();
        $gateway->process_admin_options();
        return $gateway;
    }
}
