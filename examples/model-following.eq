# Model-following control of the DC motor: a model of the plant runs beside the "real" one under a controller that sees the
# model only; its voltage goes to both, and the difference of model and measurement corrects that of the real motor.
# The real motor has more friction, a load from t = 3 on, a limited voltage and a sensor with noise and steps.
# After Veigend, PhD thesis (Brno 2023), fig. 5.12; the numbers of the imperfections are chosen here. --set kc=0,kci=0: no correction.
param J = 0.01 [kg*m^2],    b = 0.1 [N*m*s]          # the model: inertia, friction
param R = 1 [Ohm],          L = 0.5 [H]              # armature
param K_e = 0.01 [V*s/rad], K_T = 0.01 [N*m/A]       # back e.m.f., torque
param J_r = 0.012 [kg*m^2], b_r = 0.13 [N*m*s]       # the real one
param k1 = 12.99 [V*s/rad], k2 = -1 [V/A], kr = 13 [V*s/rad]      # state feedback of the model
param kc = 20 [V*s/rad],    kci = 60 [V/rad]         # the correction
param Ts = 0.02 [s],        u_max = 12 [V]
param sigma = 0.002 [rad/s], q = 0.002 [rad/s]
input omega_r = 0.5 - 0.25*step(t - 6) [rad/s]
input load = 0.01*step(t - 3) [N*m]

u_m = -k1*omega_m - k2*i_m + kr*omega_r [V]          # the model
J*omega_m' + b*omega_m = K_T*i_m
L*i_m'     + R*i_m     = u_m - K_e*omega_m

J_r*omega' + b_r*omega = K_T*i - load                # the real motor
L*i'       + R*i       = u - K_e*omega

every Ts:
    e = omega_m - quantize(omega + noise(3, sigma), q)
    c = c + Ts*kci*e
    u = saturate(u_m + kc*e + c, u_max)

init omega = 0 [rad/s], i = 0 [A], omega_m = 0 [rad/s], i_m = 0 [A], u = 0 [V], e = 0 [rad/s], c = 0 [V]
output difference = omega_m - omega [rad/s]
run 0 .. 10
