"""The collector: a service that stores each report once, keeps what it confirmed, and knows as little as possible."""
