<?php

declare(strict_types=1);

namespace Manilla\WooCommerce;

use Manilla\Enum\EventType;
use Manilla\Error\ManillaError;
use Manilla\Model\PaymentReturn;
use Manilla\RequestOptions;

/** Refunds from the page of an order: money goes back to the account that paid. */
final class Refunds
{
    public const EVENTS = [EventType::PAYMENT_REFUNDED, EventType::PAYMENT_REFUND_FAILED];
    private const TRIES_META = '_manilla_refund_tries';
    private const NOTED_META = '_manilla_noted_refunds';

    /** @param string $naira as WooCommerce writes amounts */
    public static function send(\WC_Order $order, string $naira, string $reason): bool|\WP_Error
    {
        $payment = $order->get_transaction_id();
        if ($payment === '') {
            return new \WP_Error('manilla_refund', __('This order has no payment of Manilla.', 'manilla'));
        }
        try {
            $amount = Kobo::of($naira);
            $key = self::keyOf($order, $payment, $amount);
            Account::of(Sessions::modeOf($order))->client()->payments->refund(
                $payment,
                amount: $amount,
                note: $reason === '' ? null : mb_substr($reason, 0, 500),
                options: new RequestOptions(idempotencyKey: $key),
            );
        } catch (ManillaError $error) {
            self::countRefusal($order, $error);
            return new \WP_Error('manilla_refund', trim("{$error->getMessage()} $error->nextStep"));
        } catch (\InvalidArgumentException $error) {
            return new \WP_Error('manilla_refund', $error->getMessage());
        }
        /* translators: 1: amount, 2: reference of the payment */
        $order->add_order_note(sprintf(__('Refund of %1$s is on its way: %2$s', 'manilla'), Kobo::print($amount), $payment));
        return true;
    }

    /** Notes what became of the refunds of a payment, once each. */
    public static function follow(string $payment): void
    {
        $found = wc_get_orders(['limit' => 1, 'payment_method' => Plugin::ID, 'transaction_id' => $payment]);
        if ($found === []) {
            return;
        }
        $returns = Account::of(Sessions::modeOf($found[0]))->client()->payments->returns($payment)->page()->items;
        Lock::hold($found[0]->get_id(), static function (\WC_Order $order) use ($returns): void {
            $noted = (array) ($order->get_meta(self::NOTED_META) ?: []);
            foreach ($returns as $return) {
                $note = self::describe($return);
                if ($note !== null && ($noted[$return->reference] ?? null) !== $return->status) {
                    $order->add_order_note($note);
                    $noted[$return->reference] = $return->status;
                }
            }
            $order->update_meta_data(self::NOTED_META, $noted);
            $order->save();
        });
    }

    private static function describe(PaymentReturn $return): ?string
    {
        $amount = is_int($return->amount) ? Kobo::print($return->amount) : "$return->amount $return->currency";
        return match ($return->status) {
            /* translators: 1: amount, 2: reference of the refund */
            'RETURNED' => sprintf(__('Refund of %1$s reached the customer: %2$s', 'manilla'), $amount, $return->reference),
            'FAILED', 'REVERSED' => sprintf(
                /* translators: 1: amount, 2: why, 3: reference of the refund */
                __('Refund of %1$s failed (%2$s): the money is in your balance again. Refund it by other means. %3$s', 'manilla'),
                $amount,
                $return->failureReason ?? $return->status,
                $return->reference,
            ),
            default => null,
        };
    }

    /**
     * The same when the shop tries again because an answer was lost, so that the refund happens once; another
     * after each refund, and after an answer that said no.
     */
    private static function keyOf(\WC_Order $order, string $payment, int $amount): string
    {
        // Includes the refund that WooCommerce has just created, and deletes again if this fails.
        $refunds = array_map(fn ($refund) => Kobo::of((string) $refund->get_amount('edit')), $order->get_refunds());
        $parts = [$payment, array_sum($refunds), $amount, (int) $order->get_meta(self::TRIES_META)];
        return 'woocommerce-refund-' . hash('sha256', implode('|', $parts));
    }

    /** The service remembers these answers with the key: the next try needs another one. */
    private static function countRefusal(\WC_Order $order, ManillaError $error): void
    {
        $isRemembered = in_array($error->status, [402, 409, 422], true) && $error->reason !== 'idempotency_in_progress';
        if ($isRemembered) {
            $order->update_meta_data(self::TRIES_META, (string) ((int) $order->get_meta(self::TRIES_META) + 1));
            $order->save();
        }
    }
}
