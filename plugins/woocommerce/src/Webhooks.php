<?php

declare(strict_types=1);

namespace Manilla\WooCommerce;

use Manilla\Error\WebhookError;
use Manilla\Model\CheckoutSession;
use Manilla\Model\Payment;
use Manilla\Model\WebhookEvent;
use Manilla\Webhook;

/** Acknowledges events at once and works later, so that a slow shop loses none. */
final class Webhooks
{
    public const NAMESPACE = 'manilla/v1';
    public const ROUTE = self::NAMESPACE . '/webhooks';
    public const JOB = 'manilla_event';
    private const TRIES_MAX = 5;

    public static function register(): void
    {
        register_rest_route(self::NAMESPACE, '/webhooks', [
            'methods' => 'POST',
            'callback' => self::receive(...),
            // The signature is the permission.
            'permission_callback' => '__return_true',
        ]);
    }

    public static function receive(\WP_REST_Request $request): \WP_REST_Response
    {
        try {
            $event = self::verify($request->get_body(), $request->get_headers());
        } catch (WebhookError $error) {
            wc_get_logger()->warning("Webhook refused: {$error->getMessage()}", ['source' => Plugin::ID]);
            return new \WP_REST_Response(['problem' => $error->problem, 'message' => $error->getMessage()], 400);
        }
        $reference = self::referenceIn($event);
        $job = [$event->mode, $event->type, $reference, 1];
        // An event that arrives again while its job waits needs no second one.
        $isStored = $reference === null
            || as_has_scheduled_action(self::JOB, $job, Plugin::ID)
            || as_enqueue_async_action(self::JOB, $job, Plugin::ID) !== 0;
        return new \WP_REST_Response(null, $isStored ? 204 : 503);
    }

    /** The job: reads the current state, which may be newer than the event. */
    public static function work(string $mode, string $type, string $reference, int $try): void
    {
        try {
            if (in_array($type, Refunds::EVENTS, true)) {
                Refunds::follow($reference);
            } else {
                $session = Account::of($mode)->client()->checkout->sessions->get($reference);
                Orders::apply((int) ($session->metadata->woocommerceOrder ?? 0), $session);
            }
        } catch (\RuntimeException $error) {
            wc_get_logger()->warning("$type $reference: {$error->getMessage()}", ['source' => Plugin::ID]);
            if ($try < self::TRIES_MAX) {
                as_schedule_single_action(time() + 30 * 2 ** $try, self::JOB, [$mode, $type, $reference, $try + 1], Plugin::ID);
            }
        }
    }

    /** Signed with the secret of either mode: the shop may switch while payments of the other arrive. */
    private static function verify(string $body, array $headers): WebhookEvent
    {
        $error = new WebhookError(WebhookError::SECRET_MALFORMED, 'The shop has no webhook secret. Save its settings.');
        foreach (['live', 'test'] as $mode) {
            $secret = Account::of($mode)->webhookSecret;
            try {
                $event = $secret === '' ? null : Webhook::verify($body, $headers, $secret);
            } catch (WebhookError $error) {
                continue;
            }
            if ($event?->mode === $mode) {
                return $event;
            }
        }
        throw $error;
    }

    private static function referenceIn(WebhookEvent $event): ?string
    {
        $isOurs = $event->data instanceof CheckoutSession
            || ($event->data instanceof Payment && in_array($event->type, Refunds::EVENTS, true));
        return $isOurs ? $event->data->reference : null;
    }
}
