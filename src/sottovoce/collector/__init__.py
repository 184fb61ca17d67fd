"""The collector: a service that receives reports, loses none, counts none twice, and knows as little as possible."""
