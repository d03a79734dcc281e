<?php

declare(strict_types=1);

namespace Manilla\WooCommerce;

use Manilla\Enum\CheckoutSessionStatus;
use Manilla\Enum\PaymentStatus;
use Manilla\Model\CheckoutSession;

/** What a session means for its order. Orders only move forwards: nothing takes a payment back. */
final class Orders
{
    /** The customer comes back from the payment: show what is known now, without waiting for the webhook. */
    public static function refresh(int|string $orderId): void
    {
        $order = wc_get_order($orderId);
        $reference = $order ? Sessions::currentOf($order) : null;
        if ($reference === null || $order->is_paid()) {
            return;
        }
        try {
            self::apply($order->get_id(), Sessions::fetch($order, $reference));
        } catch (\RuntimeException $error) {
            // The webhook or the poll will know.
            wc_get_logger()->warning("Order $orderId: {$error->getMessage()}", ['source' => Plugin::ID]);
        }
    }

    /** Runs any number of times, in any order, and at the same time in several processes. */
    public static function apply(int $orderId, CheckoutSession $session): void
    {
        Lock::hold($orderId, static function (\WC_Order $order) use ($session): void {
            if (!in_array($session->reference, Sessions::allOf($order), true)) {
                return;
            }
            match ($session->status) {
                CheckoutSessionStatus::PAID => self::pay($order, $session),
                CheckoutSessionStatus::EXPIRED, CheckoutSessionStatus::CANCELLED => self::end($order, $session),
                default => null,
            };
        });
    }

    private static function pay(\WC_Order $order, CheckoutSession $session): void
    {
        $accepted = array_filter($session->payments, fn ($payment) => $payment->status === PaymentStatus::ACCEPTED);
        $payment = reset($accepted) ?: null;
        if ($order->is_paid() || $order->has_status('refunded')) {
            self::notePaymentTwice($order, $session, $payment?->reference);
            return;
        }
        $due = Kobo::of((string) $order->get_total('edit'));
        $note = sprintf(
            /* translators: 1: amount, 2: reference of the session */
            __('%1$s paid with Manilla: %2$s', 'manilla'),
            Kobo::print($session->amountAccepted),
            $session->reference,
        );
        // A session has the amount that was due when it was opened; the order may have changed since. Coins of
        // a session priced in them are accepted instead of naira.
        if ($session->amount < $due) {
            $order->set_transaction_id($payment?->reference ?? '');
            /* translators: %s: amount */
            $order->update_status('on-hold', $note . ' ' . sprintf(__('The order has changed: %s are due.', 'manilla'), Kobo::print($due)));
            return;
        }
        $order->add_order_note($note);
        $order->payment_complete($payment?->reference ?? '');
    }

    /** Two open sessions can both be paid: the second is for the shop to refund. */
    private static function notePaymentTwice(\WC_Order $order, CheckoutSession $session, ?string $payment): void
    {
        if ($payment === null || $payment === $order->get_transaction_id() || $order->get_meta("_manilla_noted_$payment")) {
            return;
        }
        $order->update_meta_data("_manilla_noted_$payment", 'yes');
        /* translators: 1: amount, 2: reference of the payment */
        $order->add_order_note(sprintf(
            __('Paid again: %1$s arrived for an order that is paid. Refund payment %2$s in Manilla.', 'manilla'),
            Kobo::print($session->amountAccepted),
            $payment,
        ));
        $order->save();
    }

    /** Only a pending order fails, and only with its current session: an older one has been replaced. */
    private static function end(\WC_Order $order, CheckoutSession $session): void
    {
        if (!$order->has_status('pending') || Sessions::currentOf($order) !== $session->reference) {
            return;
        }
        $note = $session->status === CheckoutSessionStatus::EXPIRED
            ? __('The customer did not pay in time. A transfer made in time can still arrive.', 'manilla')
            : __('The payment was cancelled.', 'manilla');
        $order->update_status('failed', "$note ($session->reference)");
    }
}
