package dev.plinth.ratelimit.grpc;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * Runs a test class with budgets in memory and in Redis; its parameter is a {@code ShardServer} on
 * each. All classes share the two, so each test takes a domain of its own.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass(name = "{0}", autoCloseArguments = false)
@ArgumentsSource(LimitServers.class)
@interface OnEachBudgets {}
