<?php

declare(strict_types=1);

namespace Manilla\WooCommerce;

use Manilla\Enum\CheckoutSessionStatus;
use Manilla\Error\NotFoundError;
use Manilla\Model\CheckoutSession;
use Manilla\RequestOptions;

/** The checkout sessions of an order: one at a time, for the amount that is due. */
final class Sessions
{
    /** References of all sessions of the order, the current one last. */
    private const META = '_manilla_sessions';
    private const URL_META = '_manilla_session_url';
    private const MODE_META = '_manilla_mode';

    /** The open session of the order, or a new one if there is none for this amount. */
    public static function open(\WC_Order $order): CheckoutSession
    {
        $account = Account::current();
        $sessions = $account->client()->checkout->sessions;
        $amount = Kobo::of((string) $order->get_total('edit'));
        $session = self::readCurrent($order, $account);
        if ($session?->status === CheckoutSessionStatus::PENDING) {
            if ($session->amount === $amount) {
                return $session;
            }
            $sessions->cancel($session->reference);
        }
        // A customer who has paid must not be asked again.
        if ($session?->status === CheckoutSessionStatus::PAID) {
            Orders::apply($order->get_id(), $session);
            return $session;
        }
        $input = [
            'amount' => $amount,
            /* translators: 1: number of the order, 2: name of the shop */
            'description' => sprintf(__('Order %1$s at %2$s', 'manilla'), $order->get_order_number(), get_bloginfo('name')),
            'customer' => [
                'name' => trim($order->get_formatted_billing_full_name()) ?: __('Customer', 'manilla'),
                'email' => $order->get_billing_email(),
            ],
            'merchantReference' => (string) $order->get_order_number(),
            'successUrl' => $order->get_checkout_order_received_url(),
            'cancelUrl' => $order->get_checkout_payment_url(),
            'metadata' => ['woocommerceOrder' => $order->get_id(), 'shop' => home_url()],
        ];
        // The same for a double click on "Place order", and another for each further session.
        $parts = [$order->get_order_key(), count(self::allOf($order)), $input];
        $key = 'woocommerce-' . hash('sha256', (string) wp_json_encode($parts));
        $session = $sessions->create(...$input, options: new RequestOptions(idempotencyKey: $key));
        $order->update_meta_data(self::META, [...self::allOf($order), $session->reference]);
        $order->update_meta_data(self::URL_META, $session->url);
        $order->update_meta_data(self::MODE_META, $account->mode);
        /* translators: 1: amount, 2: reference of the session */
        $order->add_order_note(sprintf(__('Payment of %1$s started: %2$s', 'manilla'), Kobo::print($amount), $session->reference));
        $order->save();
        return $session;
    }

    private static function readCurrent(\WC_Order $order, Account $account): ?CheckoutSession
    {
        $reference = self::currentOf($order);
        if ($reference === null || self::modeOf($order) !== $account->mode) {
            return null;
        }
        try {
            return $account->client()->checkout->sessions->get($reference);
        } catch (NotFoundError) {
            // Opened with the key of another merchant.
            return null;
        }
    }

    public static function currentOf(\WC_Order $order): ?string
    {
        $all = self::allOf($order);
        return $all === [] ? null : end($all);
    }

    /** @return list<string> */
    public static function allOf(\WC_Order $order): array
    {
        return array_values((array) ($order->get_meta(self::META) ?: []));
    }

    public static function urlOf(\WC_Order $order): string
    {
        return (string) $order->get_meta(self::URL_META);
    }

    public static function modeOf(\WC_Order $order): string
    {
        return (string) $order->get_meta(self::MODE_META);
    }

    /** Reads the session from Manilla: a webhook or a browser only says that it may have changed. */
    public static function fetch(\WC_Order $order, string $reference): CheckoutSession
    {
        return Account::of(self::modeOf($order))->client()->checkout->sessions->get($reference);
    }
}
