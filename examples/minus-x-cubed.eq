# A fast start and a slow end; one backward Euler step of 0.01 from here is Newton's first exercise.
# Andres, Schmitt, Basics and Euler Integrators (2016), (43).

x' = -x^3

x(0) = 10
output error = x - 1/sqrt(0.01 + 2*t)
run 0 .. 1
