<?php

declare(strict_types=1);

namespace Manilla\Tests;

/** A server in another process, which plays one list of steps for each request; see `serve.php`. */
final class PlayedServer
{
    public readonly string $url;
    /** @var resource */
    private $process;
    /** @var array<int, resource> */
    private array $pipes = [];
    /** An unread pipe would block the server when it is full. */
    private string $log;

    /** @param list<list<string|int>> $answers for each request, texts to write and milliseconds to wait */
    public function __construct(array $answers)
    {
        $this->log = tempnam(sys_get_temp_dir(), 'manilla-');
        $command = [PHP_BINARY, __DIR__ . '/serve.php', $this->log, json_encode($answers)];
        $this->process = proc_open($command, [1 => ['pipe', 'w']], $this->pipes);
        $this->url = 'http://' . trim(fgets($this->pipes[1]));
    }

    /**
     * The requests so far: connection, first line, headers and body.
     *
     * @return list<array{connection: int, line: string, headers: array<string, string>, body: string}>
     */
    public function stop(): array
    {
        proc_terminate($this->process);
        proc_close($this->process);
        $lines = file($this->log);
        unlink($this->log);
        return array_map(fn (string $line) => json_decode($line, associative: true), $lines);
    }
}
