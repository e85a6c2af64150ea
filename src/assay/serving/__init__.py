"""A small client for servers that speak OpenAI's API: it streams answers and dates every piece as it arrives.

Standard library alone: a hundred lines of HTTP/1.1 on asyncio's own transports cost a fraction of the CPU that general
clients need for each token, and what a client spends is what it adds to the latencies that it measures.
"""
