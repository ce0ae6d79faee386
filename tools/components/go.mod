// The generator of the table of flags and feature gates. It imports nothing of the product.
module github.com/awsmigrate/awsmigrate/tools/components

go 1.26.0
