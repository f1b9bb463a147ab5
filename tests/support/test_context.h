/* SPDX-License-Identifier: Apache-2.0 */
/* For unit tests: a context with a memory budget and real files. */
#ifndef MR_TESTS_SUPPORT_TEST_CONTEXT_H
#define MR_TESTS_SUPPORT_TEST_CONTEXT_H

#include "engine/base/context.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "tests/support/io_fault.h"

/* Returns false when there is no memory. */
static inline bool test_context_open(struct mr_context *context, uint64_t memory_bytes,
                                     unsigned threads)
{
    *context = (struct mr_context){.threads = threads};
    return mr_memory_create(memory_bytes, &context->memory, NULL) == MR_OK &&
           mr_io_create_real(&context->io, NULL) == MR_OK;
}

/* The same, with files that fail by a plan. */
static inline bool test_context_open_fault(struct mr_context *context, uint64_t memory_bytes,
                                           unsigned threads, const struct mr_fault_plan *plan)
{
    return test_context_open(context, memory_bytes, threads) &&
           mr_io_create_fault(context->io, plan, &context->io, NULL) == MR_OK;
}

/* Asserts that all memory was given back. */
static inline void test_context_close(struct mr_context *context)
{
    mr_io_destroy(context->io);
    mr_memory_destroy(context->memory);
}

#endif
