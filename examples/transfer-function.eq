# Transfer functions of s: a plant of second order and a controller with a filtered derivative, both from rest.
param w0 = 2 [rad/s], zeta = 0.2                  # the plant
param Kp = 3, Ki = 2 [1/s], Kd = 1.5 [s], Tf = 0.05 [s]
input r = step(t - 1)

u = laplace(Kp + Ki/s + Kd*s/(Tf*s + 1), r - y)
y = laplace(w0^2/(s^2 + 2*zeta*w0*s + w0^2), u)

run 0 .. 15
