module github.com/manilla-dev/manilla-go

go 1.19
