module github.com/awsmigrate/awsmigrate/tools/lint

go 1.26.0
