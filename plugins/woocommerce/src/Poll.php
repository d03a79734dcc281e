<?php

declare(strict_types=1);

namespace Manilla\WooCommerce;

/** Reads unpaid orders every five minutes, for webhooks that could not be received. */
final class Poll
{
    public const JOB = 'manilla_poll';
    private const EVERY_S = 300;
    /** A session ends within a day; a bank may report a payment in time late. */
    private const AGE_MAX_S = 2 * 86_400;
    private const ORDERS_MAX = 100;
    private const RUN_MAX_S = 20;

    public static function start(): void
    {
        if (!as_has_scheduled_action(self::JOB, [], Plugin::ID)) {
            as_schedule_recurring_action(time(), self::EVERY_S, self::JOB, [], Plugin::ID);
        }
    }

    public static function stop(): void
    {
        if (function_exists('as_unschedule_all_actions')) {
            as_unschedule_all_actions('', [], Plugin::ID);
        }
    }

    public static function run(): void
    {
        $untilS = time() + self::RUN_MAX_S;
        $orders = wc_get_orders([
            'limit' => self::ORDERS_MAX,
            'payment_method' => Plugin::ID,
            'status' => ['pending', 'failed', 'cancelled'],
            'date_created' => '>' . (time() - self::AGE_MAX_S),
            // The next run begins with others, if there are more than one run can read.
            'orderby' => 'rand',
        ]);
        foreach ($orders as $order) {
            foreach (Sessions::allOf($order) as $reference) {
                if (time() >= $untilS) {
                    return;
                }
                try {
                    Orders::apply($order->get_id(), Sessions::fetch($order, $reference));
                } catch (\RuntimeException $error) {
                    wc_get_logger()->warning("Order {$order->get_id()}: {$error->getMessage()}", ['source' => Plugin::ID]);
                }
            }
        }
    }
}
