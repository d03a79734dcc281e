<?php

declare(strict_types=1);

namespace Manilla\WooCommerce;

use Manilla\Enum\CheckoutSessionStatus;

/** The payment method of the shop. WooCommerce calls it; Sessions, Orders and Refunds do the work. */
final class Gateway extends \WC_Payment_Gateway
{
    public function __construct()
    {
        $this->id = Plugin::ID;
        $this->method_title = 'Manilla';
        $this->method_description = __('Bank transfers through your own Manilla service.', 'manilla');
        $this->has_fields = false;
        $this->supports = ['products', 'refunds'];
        $this->form_fields = Settings::fields();
        $this->init_settings();
        $this->title = $this->get_option('title');
        $this->description = $this->get_option('description');
        add_action("woocommerce_update_options_payment_gateways_$this->id", [$this, 'process_admin_options']);
    }

    public function is_available(): bool
    {
        return parent::is_available() && get_woocommerce_currency() === 'NGN' && Account::current()->isComplete();
    }

    public function needs_setup(): bool
    {
        return !Account::current()->isComplete();
    }

    /**
     * @param int|string $orderId
     * @return array{result: string, redirect?: string, messages?: string}
     */
    public function process_payment($orderId): array
    {
        $order = wc_get_order($orderId);
        try {
            $session = Sessions::open($order);
        } catch (\InvalidArgumentException | \RuntimeException $error) {
            wc_get_logger()->error("Order $orderId: {$error->getMessage()}", ['source' => Plugin::ID]);
            wc_add_notice(__('The payment could not be started. Please try again in a minute.', 'manilla'), 'error');
            return ['result' => 'failure'];
        }
        $redirect = match (true) {
            $session->status === CheckoutSessionStatus::PAID => $order->get_checkout_order_received_url(),
            $this->get_option('presentation') === 'inline' => $order->get_checkout_payment_url(true),
            default => $session->url,
        };
        return ['result' => 'success', 'redirect' => $redirect];
    }

    /**
     * @param int|string $orderId
     * @param string|float|null $amount
     * @param string $reason
     * @return true|\WP_Error
     */
    public function process_refund($orderId, $amount = null, $reason = ''): bool|\WP_Error
    {
        // WooCommerce passes the text of the refund; other plug-ins may pass a number.
        $naira = is_string($amount) ? $amount : number_format((float) $amount, 2, '.', '');
        return Refunds::send(wc_get_order($orderId), $naira, (string) $reason);
    }

    public function can_refund_order($order): bool
    {
        return $order && $order->get_transaction_id() !== '' && parent::can_refund_order($order);
    }

    /** Saves the settings and connects the webhook of a new key. */
    public function process_admin_options(): bool
    {
        $isSaved = parent::process_admin_options();
        foreach (['test', 'live'] as $mode) {
            $secret = Settings::connect(Account::of($mode));
            if ($secret instanceof \WP_Error) {
                $this->add_error($secret->get_error_message());
            } elseif ($secret !== null) {
                $this->update_option("{$mode}_webhook_secret", $secret);
            }
        }
        $this->display_errors();
        return $isSaved;
    }

    /** WooCommerce keeps the old value of a field whose validation throws, and shows the message. */
    public function validate_url_field(string $name, ?string $value): string
    {
        return Settings::checkUrl((string) $value);
    }

    public function validate_test_key_field(string $name, ?string $value): string
    {
        return Settings::checkKey('test', (string) $value);
    }

    public function validate_live_key_field(string $name, ?string $value): string
    {
        return Settings::checkKey('live', (string) $value);
    }

    public function validate_test_webhook_secret_field(string $name, ?string $value): string
    {
        return Settings::checkSecret((string) $value);
    }

    public function validate_live_webhook_secret_field(string $name, ?string $value): string
    {
        return Settings::checkSecret((string) $value);
    }
}
