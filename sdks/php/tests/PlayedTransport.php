<?php

declare(strict_types=1);

namespace Manilla\Tests;

use Manilla\Http\Request;
use Manilla\Http\Response;
use Manilla\Http\Transport;
use Manilla\Http\TransportFailure;
use Manilla\Manilla;

/** The service of a test: plays answers in order and notes the requests. */
final class PlayedTransport implements Transport
{
    /** @var list<Request> */
    public array $requests = [];

    /** @param list<Response|TransportFailure> $answers */
    public function __construct(private array $answers)
    {
    }

    public function send(Request $request): Response
    {
        $this->requests[] = $request;
        $answer = array_shift($this->answers) ?? throw new \LogicException('No answer is left.');
        return $answer instanceof Response ? $answer : throw $answer;
    }

    public function client(int $maxRetries = 3): Manilla
    {
        return new Manilla('sk_test_abc', 'https://pay.example.com', maxRetries: $maxRetries, transport: $this);
    }

    /** @param array<string, string> $headers */
    public static function json(int $status, mixed $envelope, array $headers = []): Response
    {
        return new Response($status, $headers, json_encode($envelope));
    }

    /** @param array<string, string> $headers */
    public static function refusal(int $status, string $code, ?string $reason = null, array $headers = []): Response
    {
        $envelope = ['code' => $code, 'reason' => $reason, 'message' => 'No.', 'requestId' => 'req_1'];
        return self::json($status, $envelope, $headers);
    }
}
